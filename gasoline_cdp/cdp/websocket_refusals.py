"""Why no connection to a browser's WebSocket could be made, and what to do. Never with credentials."""

import ssl
from http import HTTPStatus

from gasoline_cdp.cdp.endpoint import Endpoint, shown_address
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.redact import safe_text

_DETAIL_CHARS = 120


def refused(
    endpoint: Endpoint, reason: str, advice: str = "", *, final: bool = False, refused: bool = False, status: int = 0
) -> GasolineError:
    """`final`: trying again would not help. `refused`: nobody listens on that port. `status`: of the HTTP answer."""
    advice = advice or "Is it running with --remote-debugging-port, and is the address right?"
    return GasolineError(
        Code.NO_BROWSER,
        f"Cannot speak to a browser at {endpoint.shown()}: {reason}. {advice}",
        address=endpoint.shown(),
        **({"final": True} if final else {}),
        **({"refused": True} if refused else {}),
        **({"http_status": status} if status else {}),
    )


def closed_while_connecting(endpoint: Endpoint) -> GasolineError:
    """The other side closed the connection before it was a WebSocket."""
    return refused(endpoint, "it closed the connection")


def refused_with_status(endpoint: Endpoint, status: int, location: str | None) -> GasolineError:
    """The other side answered with an HTTP status instead of a WebSocket."""
    said = f"it answered HTTP {status}"
    if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.PROXY_AUTHENTICATION_REQUIRED):
        advice = (
            'Check the credentials: --header "Name: value", or the token in the address. They may have expired.'
            if not endpoint.is_local() or endpoint.headers
            else "Somebody refused the connection, or the browser wants credentials: --header."
        )
        return refused(endpoint, said, advice, final=True, status=status)
    if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
        advice = "The session is closed, or the address is an old one. Get a new address, and attach again."
        return refused(endpoint, said, advice, final=True, status=status)
    if 300 <= status < 400 and location:
        advice = f"It sends us to {shown_address(location)}, where credentials are not sent unasked: name that address."
        return refused(endpoint, said, advice, final=True, status=status)
    if status == HTTPStatus.TOO_MANY_REQUESTS or status >= 500:
        return refused(endpoint, said, "It is busy or broken: try again later.", status=status)
    return refused(endpoint, said, final=True, status=status)


def refused_tls(endpoint: Endpoint, error: BaseException | None) -> GasolineError:
    """There is no TLS connection: the certificate is not trusted, or the other side does not speak TLS."""
    if isinstance(error, ssl.SSLCertVerificationError):
        reason = f"its certificate is not accepted ({safe_text(error.verify_message, _DETAIL_CHARS)})"
        advice = "If it is of an authority of your own, name that: --ca-file FILE. Otherwise do not trust this address."
        return refused(endpoint, reason, advice, final=True)
    if isinstance(error, ssl.SSLError):
        # Such as WRONG_VERSION_NUMBER, of a port without TLS.
        reason = f"there is no TLS ({safe_text(error.reason or 'the handshake failed', _DETAIL_CHARS)})"
        return refused(endpoint, reason, "If it has none, use ws:// instead of wss://.", final=True)
    return refused(endpoint, "it closed the connection before TLS was set up")
