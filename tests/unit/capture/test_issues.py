"""Issues of DevTools: those that say what stopped working, once a document."""

from typing import Any

import pytest

from gasoline_cdp.capture.issues import Issues


def issue(code: str, **details: Any) -> dict[str, Any]:
    name = f"{code[0].lower()}{code[1:]}Details"
    return {"issue": {"code": code, "details": {name: details}}}


def cookie(operation: str = "SetCookie", **more: Any) -> dict[str, Any]:
    given = {
        "cookie": {"name": "sid", "path": "/", "domain": "shop.test"},
        "rawCookieLine": "sid=the-value; SameSite=None",
        "cookieWarningReasons": ["WarnSameSiteNoneInsecure"],
        "cookieExclusionReasons": ["ExcludeSameSiteNoneInsecure"],
        "operation": operation,
        "siteForCookies": "http://shop.test/",
        "cookieUrl": "http://shop.test/login?token=abcdefgh12345678",
        **more,
    }
    return issue("CookieIssue", **given)


def test_a_cookie_that_was_not_stored() -> None:
    told = Issues().parse(cookie())
    assert told
    assert (told.kind, told.level, told.method) == ("browser", "error", "issue")
    assert told.text.startswith("Cookie 'sid' of http://shop.test/login")
    assert told.text.endswith("was not stored: SameSite=None needs Secure")
    assert "the-value" not in told.text
    assert "abcdefgh12345678" not in told.text


@pytest.mark.parametrize(
    "params",
    [cookie("ReadCookie"), cookie(cookieUrl="http://ads.test/pixel", cookieExclusionReasons=["ExcludeSameSiteLax"])],
    ids=["not sent", "of another site"],
)
def test_what_may_be_meant_is_a_warning(params: dict[str, Any]) -> None:
    told = Issues().parse(params)
    assert told
    assert told.level == "warning"


def test_places_are_told() -> None:
    place = {"url": "http://shop.test/app.css", "lineNumber": 4, "columnNumber": 2}
    late = issue("StylesheetLoadingIssue", sourceCodeLocation=place, styleSheetLoadingIssueReason="LateImportRule")
    told = Issues().parse(late)
    assert told
    assert [(frame.url, frame.line, frame.column) for frame in told.frames] == [("http://shop.test/app.css", 5, 3)]
    prop = issue("PropertyRuleIssue", sourceCodeLocation=place, propertyRuleIssueReason="InvalidSyntax")
    assert "its syntax is wrong" in getattr(Issues().parse(prop), "text", "")
    buffer = issue("SharedArrayBufferIssue", sourceCodeLocation=place, isWarning=False, type="CreationIssue")
    assert "not cross-origin isolated" in getattr(Issues().parse(buffer), "text", "")


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"issue": "none"},
        {"issue": {"code": "CookieIssue", "details": []}},
        cookie(cookieExclusionReasons=[]),
        cookie(cookieExclusionReasons="all"),
        issue("StylesheetLoadingIssue", styleSheetLoadingIssueReason="RequestFailed"),
        issue("SharedArrayBufferIssue", isWarning=True, type="CreationIssue"),
        issue("PropertyRuleIssue"),
        issue("QuirksModeIssue", isLimitedQuirksMode=False),
        issue("CorsIssue", isWarning=False),
    ],
)
def test_what_is_told_elsewhere_or_is_none(params: dict[str, Any]) -> None:
    assert Issues().parse(params) is None


def test_each_is_told_once_a_document() -> None:
    issues = Issues()
    assert issues.parse(cookie())
    assert issues.parse(cookie()) is None
    issues.forget({})
    assert issues.parse(cookie())


def test_a_page_cannot_flood_the_record() -> None:
    issues = Issues()
    told = [issues.parse(cookie(cookie={"name": f"n{number}"})) for number in range(500)]
    assert len([one for one in told if one]) == 200
    assert issues.parse(cookie(cookieUrl="http://[", siteForCookies=7)) is None
