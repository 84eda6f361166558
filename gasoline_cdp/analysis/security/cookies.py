"""Judges cookies by name and attributes. Values never get here."""

import re
from collections.abc import Iterable, Iterator
from email.utils import parsedate_to_datetime
from typing import Any

from attrs import frozen

from gasoline_cdp.analysis.security.checks import protection_finding
from gasoline_cdp.findings import Finding, Severity

_SESSION = re.compile(
    r"(?:^|[^a-z])(?:sess|session|sid|auth|token|jwt|login|remember|access|refresh|identity)(?:$|[^a-z]|id|_?token)"
    r"|sessid|sessionid|phpsess|jsession|connect\.sid|aspxauth",
    re.IGNORECASE,
)
# Cookies of load balancers: they identify a server, not a visitor.
_AFFINITY = re.compile(
    r"affinity|sticky|^awsa?lb|^awselb|^bigip|^(?:lb|elb|gclb|haproxy|ingress|route|srv|server|backend|node)[._-]?"
    r"(?:id|session|cookie|sess)?$|^x-oracle-bmc|balanc|^tip_|^citrix_ns",
    re.IGNORECASE,
)
# Scripts read these on purpose, to send them back in a header.
_FOR_SCRIPTS = re.compile(r"csrf|xsrf", re.IGNORECASE)
_DAY = 86400.0
_LONGEST = 400


@frozen(kw_only=True)
class Cookie:
    """A cookie without its value."""

    name: str
    secure: bool = False
    http_only: bool = False
    same_site: str = ""
    # Empty for a host-only cookie.
    domain: str = ""
    path: str = ""
    lifetime_days: float | None = None

    @property
    def is_session(self) -> bool:
        """Whether its name suggests that its holder is taken for the user."""
        named = _SESSION.search(self.name) is not None
        return named and _FOR_SCRIPTS.search(self.name) is None and _AFFINITY.search(self.name) is None


def parse_set_cookie(header: str, now: float, *, whole: bool = True) -> Iterator[Cookie]:
    """The cookies of a Set-Cookie header, one per line. If the header was cut, the last cookie is dropped."""
    lines = header.split("\n")
    for line in lines if whole else lines[:-1]:
        first, *rest = (part.strip() for part in line.split(";"))
        name = first.partition("=")[0].strip()
        if not name:
            continue
        attributes = {key.strip().lower(): value.strip() for key, _, value in (part.partition("=") for part in rest)}
        yield Cookie(
            name=name,
            secure="secure" in attributes,
            http_only="httponly" in attributes,
            same_site=attributes.get("samesite", "").lower(),
            domain=attributes.get("domain", ""),
            path=attributes.get("path", ""),
            lifetime_days=_lifetime(attributes, now),
        )


def parse_browser_cookie(cookie: dict[str, Any], now: float) -> Cookie:
    """A cookie as described by the browser."""
    expires = cookie.get("expires")
    lasting = isinstance(expires, int | float) and expires > 0
    domain = str(cookie.get("domain", ""))
    return Cookie(
        name=str(cookie.get("name", ""))[:100],
        secure=bool(cookie.get("secure")),
        http_only=bool(cookie.get("httpOnly")),
        same_site=str(cookie.get("sameSite", "")).lower(),
        domain=domain if domain.startswith(".") else "",
        path=str(cookie.get("path", ""))[:200],
        lifetime_days=(float(expires) - now) / _DAY if lasting and isinstance(expires, int | float) else None,
    )


def _lifetime(attributes: dict[str, str], now: float) -> float | None:
    age = attributes.get("max-age", "")
    if re.fullmatch(r"-?\d{1,12}", age):
        return int(age) / _DAY
    try:
        return (parsedate_to_datetime(attributes["expires"]).timestamp() - now) / _DAY
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


def judge_cookies(cookies: Iterable[Cookie], *, local: bool) -> Iterator[Finding]:
    """One finding for each kind of problem. On local hosts, Secure is not required."""
    by_rule: dict[str, list[str]] = {}
    for cookie in cookies:
        for rule in _problems(cookie, local=local):
            names = by_rule.setdefault(rule, [])
            if cookie.name not in names:
                names.append(cookie.name)
    for rule, names in by_rule.items():
        severity, what, fix, cwe = _RULES[rule]
        several = len(names) > 1
        shown = ", ".join(f"'{name}'" for name in names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        yield protection_finding(
            severity=severity,
            category="cookies",
            rule=rule,
            title=f"Cookie{'s' if several else ''} {shown} {what}",
            fix=fix,
            names=names,
            cwe=cwe,
        )


def is_safe(cookie: Cookie, *, local: bool) -> bool:
    """Whether a cookie has no problem."""
    return not any(_problems(cookie, local=local))


def _problems(cookie: Cookie, *, local: bool) -> Iterator[str]:
    if cookie.lifetime_days is not None and cookie.lifetime_days <= 0:
        # The cookie is being deleted.
        return
    none = cookie.same_site == "none"
    if none and not cookie.secure:
        yield "samesite_none_without_secure"
    elif not cookie.secure and not local and cookie.is_session:
        yield "insecure_cookie"
    if cookie.is_session and not cookie.http_only:
        yield "session_cookie_for_scripts"
    if cookie.is_session and none:
        yield "session_cookie_cross_site"
    if cookie.name.startswith("__Host-") and (cookie.domain or not cookie.secure or cookie.path != "/"):
        yield "broken_host_prefix"
    elif cookie.name.startswith("__Secure-") and not cookie.secure:
        yield "broken_secure_prefix"
    if cookie.is_session and cookie.domain:
        yield "session_cookie_for_subdomains"
    if cookie.lifetime_days is not None and cookie.lifetime_days > _LONGEST:
        yield "cookie_lives_too_long"


_RULES: dict[str, tuple[Severity, str, str, str]] = {
    "insecure_cookie": ("medium", "missing the Secure flag", "Set Secure: it must not travel over http.", "CWE-614"),
    "session_cookie_for_scripts": (
        "medium",
        "readable by scripts (no HttpOnly)",
        "Set HttpOnly: an injected script must not be able to read a session.",
        "CWE-1004",
    ),
    "samesite_none_without_secure": (
        "medium",
        "with SameSite=None but without Secure, which browsers refuse",
        "Add Secure, or use SameSite=Lax.",
        "CWE-1275",
    ),
    "session_cookie_cross_site": (
        "low",
        "sent with requests from other sites (SameSite=None)",
        "Use SameSite=Lax unless the page has to work inside other sites; then check every change by a CSRF token.",
        "CWE-1275",
    ),
    "broken_host_prefix": (
        "medium",
        "named __Host- without Secure, Path=/ and no Domain, which browsers refuse",
        "Set Secure and Path=/, and leave Domain out.",
        "CWE-1275",
    ),
    "broken_secure_prefix": ("medium", "named __Secure- without Secure", "Set Secure: browsers refuse it.", "CWE-614"),
    "session_cookie_for_subdomains": (
        "low",
        "shared with every subdomain (Domain is set)",
        "Leave Domain out, so that only this host gets it.",
        "CWE-1275",
    ),
    "cookie_lives_too_long": (
        "low",
        "kept for more than 400 days, which browsers cut",
        "Shorten Max-Age to what is needed.",
        "CWE-613",
    ),
}  # fmt: skip
