"""Why there is no connection: the reason, what to do, and whether trying again can help."""

import ssl

import pytest

from gasoline_cdp.cdp.endpoint import Endpoint
from gasoline_cdp.cdp.websocket_refusals import closed_while_connecting, refused, refused_tls, refused_with_status
from gasoline_cdp.errors import Code

pytestmark = pytest.mark.requirement("F2-REMOTE")

HOSTED = Endpoint(address="wss://me:hidden@grid.test/s?token=hidden", headers=(("X-Key", "hidden"),))
LOCAL = Endpoint(address="ws://127.0.0.1:9222/devtools/browser/1")


@pytest.mark.parametrize(
    ("status", "final", "words"),
    [
        (401, True, "They may have expired"),
        (403, True, "Check the credentials"),
        (404, True, "the address is an old one"),
        (410, True, "The session is closed"),
        (418, True, "is the address right?"),
        (429, False, "try again later"),
        (503, False, "try again later"),
    ],
)
def test_a_status_says_what_to_do(status: int, final: bool, words: str) -> None:
    error = refused_with_status(HOSTED, status, None)
    assert error.code is Code.NO_BROWSER
    assert f"it answered HTTP {status}. " in error.message
    assert words in error.message
    assert error.details.get("final", False) is final
    assert error.details["http_status"] == status
    assert "hidden" not in f"{error.message}{error.details}"


def test_a_redirection_is_named_and_not_followed() -> None:
    error = refused_with_status(HOSTED, 302, "wss://other.test/s?token=hidden")
    assert "It sends us to wss://other.test/s?…, where credentials are not sent unasked" in error.message
    assert "hidden" not in error.message


def test_a_browser_here_may_want_credentials_that_nobody_gave() -> None:
    assert "the browser wants credentials: --header" in refused_with_status(LOCAL, 403, None).message


def test_a_certificate_that_is_not_trusted_is_no_reason_to_trust_it() -> None:
    untrusted = ssl.SSLCertVerificationError(1, "self-signed certificate")
    untrusted.verify_message = "self-signed certificate"
    error = refused_tls(HOSTED, untrusted)
    assert "its certificate is not accepted (self-signed certificate)" in error.message
    assert "--ca-file FILE" in error.message
    assert error.details["final"]


def test_a_port_without_tls_is_told() -> None:
    plain = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number")
    plain.reason = "WRONG_VERSION_NUMBER"
    error = refused_tls(HOSTED, plain)
    assert "there is no TLS (WRONG_VERSION_NUMBER). If it has none, use ws:// instead of wss://." in error.message


def test_a_closed_connection_may_be_tried_again() -> None:
    for error in (closed_while_connecting(HOSTED), refused_tls(HOSTED, None)):
        assert "it closed the connection" in error.message
        assert "final" not in error.details
    assert refused(LOCAL, "nobody listens there", refused=True).details["refused"]
