"""The security audit on a real page: secrets where they were, told once each, and never shown."""

import json
from typing import Any

import pytest

from tests.support import Watch

pytestmark = pytest.mark.requirement("F5-SECURITY")

# Built at run time, so that no scanner mistakes this file for a leak.
AWS = "AKIA" + "Z7XQJ5KLMNOPQRST"
STRIPE = "sk_live_" + "51H8xYzAbCdEfGhIjKlMnOpQ"
SLACK = "xoxb-" + "123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx"
PLAIN = "h7Gk29LmQx41ZpRt"


def titles(answer: dict[str, Any]) -> list[str]:
    return [finding["title"] for finding in answer["findings"]]


@pytest.mark.parametrize("attach_config", ["errors"], indirect=True)
async def test_secrets_are_told_where_they_were_and_once(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    body = json.dumps({"config": {"aws": AWS}})
    await watch.evaluate(
        f"""(async () => {{
            for (let i = 0; i < 3; i++) {{
                await fetch('/api/config?type=application/json&content=' + {json.dumps(body)}).then(r => r.text());
                await fetch('/api/data/' + i + '?api_key={PLAIN}').then(r => r.text());
                console.log('paying with {STRIPE}');
            }}
            await fetch('/api/pay', {{method: 'POST', body: JSON.stringify({{key: '{SLACK}'}})}}).then(r => r.text());
            localStorage.setItem('auth_token', 'never read');
            const socket = new WebSocket('{site.replace("http", "ws")}socket');
            await new Promise(r => socket.onopen = r);
            socket.send('{{"hello": "{AWS}"}}');
            await new Promise(r => socket.onmessage = r);
            await fetch('/json?last').then(r => r.text());
        }})()"""
    )
    await watch.request("?last")
    answer = await watch.call("security_audit", checks=["credentials"], severity_min="info", limit=100)
    found = {(one["evidence"].get("pattern"), one["evidence"].get("place")): one for one in answer["findings"]}
    assert ("aws_access_key", "response_body") in found
    assert ("aws_access_key", "url") in found  # the content parameter of the test site
    assert ("aws_access_key", "websocket") in found
    assert found["api_key", "url"]["evidence"]["param_name"] == "api_key"
    assert found["api_key", "url"]["count"] == 3
    assert found["stripe_key", "console"]["count"] == 3
    assert found["stripe_key", "console"]["severity"] == "critical"
    assert found["slack_token", "request_body"]["evidence"]["redacted_value"] == f"{SLACK[:6]}…{SLACK[-3:]}"
    assert any(one["evidence"].get("affected") == ["auth_token"] for one in answer["findings"])
    assert answer["summary"]["total"] == len(answer["findings"])
    said = json.dumps(answer)
    assert not [secret for secret in (AWS, STRIPE, SLACK, PLAIN, "never read") if secret in said]
    # The answers themselves were not kept.
    assert not [record for record in watch.telemetry.bodies.newest() if record.status == 200]


async def test_nothing_is_read_where_bodies_are_off(watch: Watch, site: str) -> None:
    watch.daemon.capture.bodies.mode = "off"
    await watch.open(f"{site}page/blank")
    await watch.evaluate(f"fetch('/typed?last', {{method: 'GET'}}).then(() => console.log('done {STRIPE}'))")
    await watch.log("done")
    answer = await watch.call("security_audit", severity_min="info")
    assert any("--bodies off" in note for note in answer["notes"])
    assert "Stripe key on the console" in titles(answer)
    assert (await watch.call("validate_api", action="analyze"))["notes"]


async def test_headers_cookies_and_localhost(watch: Watch, site: str) -> None:
    headers = json.dumps({"content-security-policy": "script-src 'unsafe-inline' *", "set-cookie": "session=1; Path=/"})
    await watch.open(f"{site}typed?type=text/html&content=hello&headers={headers}")
    answer = await watch.call(
        "security_audit", checks=["headers", "cookies", "transport"], severity_min="info", limit=50
    )
    issues = {one["evidence"]["issue"] for one in answer["findings"]}
    assert {
        "csp_unsafe_inline",
        "csp_open_script_src",
        "missing_frame_protection",
        "session_cookie_for_scripts",
    } <= issues
    # This machine is development: nothing of encryption, and the answer says so.
    assert not issues & {"insecure_cookie", "missing_hsts"}
    assert any("localhost" in note for note in answer["notes"])
    assert not [one for one in answer["findings"] if one["category"] == "transport"]


async def analyzed(watch: Watch, **arguments: str) -> dict[str, Any]:
    """What `analyze` says, with the pilot on."""
    watch.context.pilot.switch(on=True, by="person")
    return await watch.call("analyze", action="security", **arguments)


async def test_analyze_judges_the_page_itself(watch: Watch, site: str) -> None:
    html = (
        "<form id=login action='http://shop.example/login' method=get><input type=password></form>"
        "<script src='https://cdn.example/lib.js'></script>"
    )
    await watch.open(
        f"{site}typed?type=text/html&content={html.replace('#', '%23')}"
        '&headers={"set-cookie": "sessionid=abc; Path=/; SameSite=Lax"}'
    )
    await watch.evaluate("localStorage.setItem('accessToken', 'x'); sessionStorage.setItem('theme', 'dark')")
    answer = await analyzed(watch)
    by_issue = {one["issue"]: one for one in answer["findings"]}
    assert by_issue["password_over_http"]["severity"] == "critical"
    assert by_issue["password_form_uses_get"]["severity"] == "high"
    assert by_issue["missing_csp"]["severity"] == "high"
    assert by_issue["script_without_integrity"]["affected"] == ["https://cdn.example/lib.js"]
    # Cookies know no ports: those of other tests' sites are here too.
    assert "sessionid" in by_issue["session_cookie_for_scripts"]["affected"]
    assert by_issue["sensitive_in_storage"]["affected"] == ["accessToken"]
    assert answer["summary"]["headers"]["failed"] >= 1
    assert answer["summary"]["storage"] == {"keys": 2, "flagged_keys": 1}
    assert answer["summary"]["cookies"]["insecure"] >= 1
    assert any("localhost" in warning for warning in answer["warnings"])
    assert [one["severity"] for one in answer["findings"]] == sorted(
        (one["severity"] for one in answer["findings"]), key=("critical", "high", "medium", "low", "info").index
    )


@pytest.mark.parametrize("scope", ["headers", "cookies", "storage"])
async def test_analyze_keeps_to_its_scope(watch: Watch, site: str, scope: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate("localStorage.setItem('api_key', 'x')")
    answer = await analyzed(watch, scope=scope)
    assert answer["scope"] == scope
    assert {one["category"] for one in answer["findings"]} <= {scope}
    assert scope in answer["summary"]


async def test_a_page_that_rewrites_its_address_is_still_the_same_document(watch: Watch, site: str) -> None:
    headers = json.dumps({"x-frame-options": "whimsy"})
    await watch.open(f"{site}typed?type=text/html&content=hello&headers={headers}")
    await watch.evaluate("history.replaceState(null, '', '/somewhere/else?x=1#there')")
    await watch.until(lambda: "somewhere" in watch.tab.source.url)
    answer = await analyzed(watch, scope="headers")
    assert answer["summary"]["headers"]["failed"] >= 1
    assert "invalid_x_frame_options" in {one["issue"] for one in answer["findings"]}
    assert not any("reload" in warning for warning in answer["warnings"])


async def test_a_policy_in_the_text_of_a_page_counts(watch: Watch, site: str) -> None:
    meta = "<meta http-equiv=Content-Security-Policy content=\"script-src 'self'; object-src 'none'; base-uri 'none'\">"
    await watch.open(f"{site}typed?type=text/html&content=<html><head>{meta}</head><body>hello</body></html>")
    judged = await watch.call("security_audit", checks=["headers"], severity_min="info", limit=50)
    analysis = await analyzed(watch, scope="headers")
    for issues in (
        {one["evidence"]["issue"] for one in judged["findings"]},
        {one["issue"] for one in analysis["findings"]},
    ):
        assert not [issue for issue in issues if "csp" in issue]
        assert "missing_frame_protection" in issues


async def test_a_token_in_local_storage_is_a_warning(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate("localStorage.setItem('auth_token', 'x')")
    answer = await watch.call("security_audit", checks=["credentials"])
    (found,) = (one for one in answer["findings"] if one["evidence"].get("issue") == "sensitive_in_storage")
    assert found["severity"] == "warning"
    assert found["evidence"]["affected"] == ["auth_token"]


async def test_a_token_inside_a_logged_object_is_found(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    await watch.evaluate(f"console.log('x', {{access_token: {json.dumps('eyJhbGciOiJIUzI1NiJ9.' + PLAIN * 12)}}})")
    await watch.log("access_token")
    answer = await watch.call("security_audit")
    assert [one["evidence"]["name"] for one in answer["findings"] if one["evidence"].get("place") == "console"] == [
        "access_token"
    ]
