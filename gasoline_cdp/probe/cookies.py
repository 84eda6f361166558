"""Reads and exactly replaces the cookies of a site, including those that scripts cannot see."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from gasoline_cdp.cdp.connection import CdpError, Session

Cookie = dict[str, Any]

# The fields of a read cookie that can be set again.
_SETTABLE = (
    "name", "value", "domain", "path", "secure", "httpOnly", "sameSite", "priority", "sourceScheme", "sourcePort",
    "partitionKey",
)  # fmt: skip


class CookieRefused(Exception):  # noqa: N818 - Chrome's word
    """Chrome refused a cookie. Contains its name, never its value."""


async def site_cookies(session: Session, site: str) -> list[Cookie]:
    """Every cookie of the site and its subdomains, and those of others in this site's partition."""
    reply = await session.send("Storage.getCookies")
    return [cookie for cookie in reply.get("cookies") or [] if _belongs(cookie, site)]


def _belongs(cookie: Cookie, site: str) -> bool:
    domain = str(cookie.get("domain", "")).lstrip(".")
    if domain == site or domain.endswith(f".{site}"):
        return True
    top = str((cookie.get("partitionKey") or {}).get("topLevelSite", ""))
    return bool(top) and (urlsplit(top).hostname or "") == site


async def replace_cookies(session: Session, site: str, wanted: Iterable[Cookie]) -> None:
    """Make these the site's only cookies. Raises `CookieRefused`; some may have been set by then."""
    wanted = list(wanted)
    kept = {_identity(cookie) for cookie in wanted}
    for cookie in await site_cookies(session, site):
        if _identity(cookie) not in kept:
            await session.send("Network.deleteCookies", _named(cookie))
    for cookie in wanted:
        try:
            reply = await session.send("Network.setCookie", _settable(cookie))
        except CdpError as error:
            raise CookieRefused(str(cookie.get("name", ""))) from error
        if not reply.get("success", True):
            raise CookieRefused(str(cookie.get("name", "")))
    # Chrome may report success and change something, so compare what is there now.
    now = {_identity(cookie): _comparable(cookie) for cookie in await site_cookies(session, site)}
    for cookie in wanted:
        if now.pop(_identity(cookie), None) != _comparable(cookie):
            raise CookieRefused(str(cookie.get("name", "")))


def _identity(cookie: Cookie) -> tuple[Any, ...]:
    partition = cookie.get("partitionKey") or {}
    return (
        cookie.get("name"),
        cookie.get("domain"),
        cookie.get("path"),
        partition.get("topLevelSite"),
        partition.get("hasCrossSiteAncestor"),
    )


def _named(cookie: Cookie) -> Cookie:
    return {name: cookie[name] for name in ("name", "domain", "path", "partitionKey") if name in cookie}


def _settable(cookie: Cookie) -> Cookie:
    settable = {name: cookie[name] for name in _SETTABLE if name in cookie}
    if not cookie.get("session", False):
        settable["expires"] = cookie["expires"]
    return settable


def _comparable(cookie: Cookie) -> Cookie:
    """The fields that must match: all that can be set, and the expiry, which Chrome stores in microseconds."""
    fields = _settable(cookie)
    if "expires" in fields:
        fields["expires"] = round(fields["expires"], 3)
    return fields
