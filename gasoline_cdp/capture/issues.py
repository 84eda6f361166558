"""Issues that DevTools lists beside the console: why a cookie was not stored, a rule of a style sheet ignored.

Only what stopped working and what nothing else says: of a request that was blocked the request itself says why, of a
content security policy the console, of labels and fields the audit of accessibility.
"""

import time
from typing import Any
from urllib.parse import urlsplit

from gasoline_cdp.capture.console import ParsedLog
from gasoline_cdp.capture.stacks import mapping, only_frame
from gasoline_cdp.records import Level, StackFrame
from gasoline_cdp.redact import safe_text, safe_url

_NAME_CHARS = 80
# Issues of one document that are reported once each.
_ISSUES = 200
_COOKIE_REASONS = {
    "ExcludeSameSiteUnspecifiedTreatedAsLax": "it has no SameSite attribute, and the request comes from another site",
    "ExcludeSameSiteNoneInsecure": "SameSite=None needs Secure",
    "ExcludeSameSiteLax": "SameSite=Lax, and the request comes from another site",
    "ExcludeSameSiteStrict": "SameSite=Strict, and the request comes from another site",
    "ExcludeDomainNonASCII": "its Domain attribute has characters that are not ASCII",
    "ExcludeThirdPartyPhaseout": "cookies of third parties are blocked",
    "ExcludePortMismatch": "it belongs to another port",
    "ExcludeSchemeMismatch": "it belongs to another scheme",
}
_SHEET_REASONS = {"LateImportRule": "An @import rule was ignored: it must stand before all other rules"}
_BUFFER_REASONS = {
    "TransferIssue": "A SharedArrayBuffer was not transferred: the page is not cross-origin isolated",
    "CreationIssue": "A SharedArrayBuffer was not created: the page is not cross-origin isolated",
}
_PROPERTY_REASONS = {
    "InvalidSyntax": "its syntax is wrong",
    "InvalidInitialValue": "its initial value is wrong",
    "InvalidInherits": "its inherits is wrong",
    "InvalidName": "its name is wrong",
}


class Issues:
    """The issues of one target. Each is reported once a document: Chrome repeats many for each request."""

    def __init__(self) -> None:
        self._reported: set[str] = set()

    def forget(self, _: dict[str, Any]) -> None:
        """Another document begins."""
        self._reported.clear()

    def parse(self, params: dict[str, Any]) -> ParsedLog | None:
        """Audits.issueAdded. None for what was reported, or is reported elsewhere."""
        issue = mapping(params.get("issue"))
        parser = _PARSERS.get(str(issue.get("code")))
        parsed = parser(mapping(issue.get("details"))) if parser else None
        if parsed is None:
            return None
        level, text, frames = parsed
        text = safe_text(text)
        if text in self._reported or len(self._reported) >= _ISSUES:
            return None
        self._reported.add(text)
        return ParsedLog(ts=time.time(), kind="browser", level=level, text=text, method="issue", frames=frames)


_Parsed = tuple[Level, str, tuple[StackFrame, ...]]


def _cookie(details: dict[str, Any]) -> _Parsed | None:
    cookie = mapping(details.get("cookieIssueDetails"))
    reasons = [_COOKIE_REASONS.get(str(reason)) for reason in _listed(cookie.get("cookieExclusionReasons"))]
    reported = [reason for reason in reasons if reason]
    if not reported:
        return None
    name = safe_text(mapping(cookie.get("cookie")).get("name", ""), _NAME_CHARS)
    address = str(cookie.get("cookieUrl", ""))
    stored = cookie.get("operation") == "SetCookie"
    own = _host(address) == _host(str(cookie.get("siteForCookies", "")))
    what = f"Cookie {name!r} of {safe_url(address)} was not {'stored' if stored else 'sent'}: {'; '.join(reported)}"
    return "error" if stored and own else "warning", what, ()


def _sheet(details: dict[str, Any]) -> _Parsed | None:
    sheet = mapping(details.get("stylesheetLoadingIssueDetails"))
    words = _SHEET_REASONS.get(str(sheet.get("styleSheetLoadingIssueReason")))
    return ("error", words, _frames(sheet)) if words else None


def _buffer(details: dict[str, Any]) -> _Parsed | None:
    buffer = mapping(details.get("sharedArrayBufferIssueDetails"))
    words = _BUFFER_REASONS.get(str(buffer.get("type")))
    return ("error", words, _frames(buffer)) if words and not buffer.get("isWarning") else None


def _property(details: dict[str, Any]) -> _Parsed | None:
    rule = mapping(details.get("propertyRuleIssueDetails"))
    words = _PROPERTY_REASONS.get(str(rule.get("propertyRuleIssueReason")))
    return ("error", f"An @property rule was ignored: {words}", _frames(rule)) if words else None


_PARSERS = {
    "CookieIssue": _cookie,
    "StylesheetLoadingIssue": _sheet,
    "SharedArrayBufferIssue": _buffer,
    "PropertyRuleIssue": _property,
}


def _frames(details: dict[str, Any]) -> tuple[StackFrame, ...]:
    return only_frame(mapping(details.get("sourceCodeLocation")))


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
