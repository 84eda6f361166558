"""The gate in front of every route: it looks up the policy of the path, and enforces it in one place.

It decides from the request's head alone, before it reads a byte of the body. Then it reads the body, with limits on
size and time, and passes it on complete.
"""

import logging
import time
from collections.abc import Callable, Collection, Mapping, MutableMapping
from hmac import compare_digest
from typing import Any, Literal
from urllib.parse import parse_qs

import orjson
import trio
from attrs import frozen

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.access import Access
from gasoline_cdp.frontends.http.http_errors import ALWAYS, UNSHARED, Headers, refusal_body, send_refusal, status_of
from gasoline_cdp.frontends.http.rates import Rates

log = logging.getLogger(__name__)

Scope = MutableMapping[str, Any]
# The scope key under which the gate stores the parsed body.
PARSED = "gasoline.parsed"
_OURS = {name for name, _ in (*ALWAYS, UNSHARED)}
_SAME_SITE = {b"none", b"same-origin"}


@frozen(kw_only=True)
class Policy:
    """What a path requires of a request."""

    methods: Collection[str]
    # token: everything that reads or controls. key: pages of any origin may post with this run's key.
    # open: reveals nothing.
    needs: Literal["token", "key", "open"] = "token"
    body_bytes: int = 0
    # Parse the body as JSON here, so that no handler and no library sees one that is too deep, huge or broken.
    json: bool = False
    per_second: int | None = None


# An undeclared path needs the token, too.
UNDECLARED = Policy(methods=())


class HttpGate:
    """An ASGI application around another. `policies` are by path; one that ends in a slash covers all below it."""

    def __init__(
        self,
        app: Any,
        policies: Mapping[str, Policy],
        access: Access,
        *,
        strict: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._policies = policies
        self._access = access
        self._strict = strict
        names = [f"127.0.0.1:{access.port}", f"localhost:{access.port}"]
        if access.port == 80:
            names += ["127.0.0.1", "localhost"]
        self._hosts = {name.encode() for name in names}
        self._origins = {b"http://" + host for host in self._hosts}
        self._rates = Rates()
        self._clock = clock

    def policy_of(self, path: str) -> Policy:
        """The policy of a path: declared for the path itself, or for a prefix of it."""
        declared = self._policies.get(path)
        if declared is not None and not path.endswith("/"):
            return declared
        head, slash, tail = path.rpartition("/")
        below = self._policies.get(head + slash)
        return below if below is not None and tail else UNDECLARED

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Pass a request on, or refuse it."""
        outbound = _Outbound(send, shared=self.policy_of(scope["path"]).needs == "key")
        try:
            body = await self._admit(scope, receive)
            await self._app(scope, _again(body, receive), outbound.send)
        except GasolineError as error:
            if outbound.started:
                raise
            await self._refuse(scope, outbound, error)
        except Exception as error:
            log.exception("a request to %s failed", scope["path"][:60])
            if self._strict or outbound.started:
                raise
            failure = GasolineError(
                Code.INTERNAL_ERROR,
                f"It failed inside gasoline-cdp ({type(error).__name__}). Nothing captured is lost.",
            )
            await self._refuse(scope, outbound, failure)

    async def _admit(self, scope: Scope, receive: Any) -> bytes:
        """Check a request, and return its body."""
        policy = self._judge_head(scope)
        if scope["type"] == "websocket":
            raise GasolineError(Code.NO_SUCH_ENDPOINT, "There is no WebSocket here.")
        body = await _read_body(scope, receive, policy)
        if policy.json and body:
            scope[PARSED] = parse_json(body)
        if policy.needs == "key" and scope["method"] != "OPTIONS" and not self.has_key(scope):
            raise GasolineError(
                Code.WRONG_INGEST_KEY,
                "The ingest key is missing or wrong. Send this run's as ?key= or as `key` in the body.",
            )
        return body

    async def _refuse(self, scope: Scope, outbound: "_Outbound", error: GasolineError) -> None:
        if scope["type"] == "websocket":
            headers = [(b"content-type", b"application/json"), *ALWAYS, UNSHARED]
            status = status_of(error.code)
            await outbound.send({"type": "websocket.http.response.start", "status": status, "headers": headers})
            await outbound.send({"type": "websocket.http.response.body", "body": refusal_body(error)})
        else:
            await send_refusal(outbound.send, error, self._headers_of(error, scope))

    def _judge_head(self, scope: Scope) -> Policy:
        """Check everything that needs no body, in the order that reveals least."""
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        if (hosts := _values(headers, b"host")) and len(hosts) == 1 and hosts[0].lower() in self._hosts:
            policy = self.policy_of(scope["path"])
        else:
            raise GasolineError(
                Code.MISDIRECTED_REQUEST,
                f"This is gasoline-cdp on {self._access.url}, and the Host header names something else, or nothing.",
            )
        if policy.needs != "key":
            self._judge_origin(headers)
        if policy.needs == "token" and self._access.token is not None:
            _judge_token(_values(headers, b"authorization"), self._access.token)
        method = scope.get("method", "GET")
        if policy is UNDECLARED:
            raise GasolineError(
                Code.NO_SUCH_ENDPOINT,
                "There is no such path.",
                endpoints=[path + ("NAME" if path.endswith("/") else "") for path in self._policies],
            )
        if method not in policy.methods and not (method == "HEAD" and "GET" in policy.methods):
            raise GasolineError(Code.METHOD_NOT_ALLOWED, f"This path takes {', '.join(sorted(policy.methods))}.")
        if policy.per_second is not None:
            origin = (_values(headers, b"origin") or [b""])[0]
            if not self._rates.allow(origin, self._clock(), policy.per_second, frontend_limits.INGEST_BURST):
                raise GasolineError(
                    Code.RATE_LIMITED, f"At most {policy.per_second} requests a second. Send larger batches."
                )
        return policy

    def _judge_origin(self, headers: list[tuple[bytes, bytes]]) -> None:
        """Browsers send the origin of a page's request. Programs send none, and must pass the check of the token."""
        foreign = any(origin not in self._origins for origin in _values(headers, b"origin"))
        if foreign or any(site not in _SAME_SITE for site in _values(headers, b"sec-fetch-site")):
            raise GasolineError(
                Code.FOREIGN_ORIGIN,
                "Web pages may not read from gasoline-cdp nor control it. Call it from a program.",
            )

    def has_key(self, scope: Scope) -> bool:
        """Whether a request carries this run's ingest key, in its query or in its body."""
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("key", [])
        parsed = scope.get(PARSED)
        if isinstance(parsed, dict) and isinstance(parsed.get("key"), str):
            given.append(parsed["key"])
        return len(given) == 1 and compare_digest(given[0].encode(), self._access.ingest_key.encode())

    def _headers_of(self, error: GasolineError, scope: Scope) -> Headers:
        match error.code:
            case Code.UNAUTHORIZED:
                return [(b"www-authenticate", b'Bearer realm="gasoline-cdp"')]
            case Code.METHOD_NOT_ALLOWED:
                return [(b"allow", ", ".join(sorted(self.policy_of(scope["path"]).methods)).encode())]
            case Code.RATE_LIMITED:
                return [(b"retry-after", b"1")]
            case Code.PAYLOAD_TOO_LARGE | Code.REQUEST_TIMEOUT:
                # The rest of the body is still to come, and nobody will read it.
                return [(b"connection", b"close")]
            case _:
                return ()


class _Outbound:
    """Sends answers, and adds the headers that all of them have."""

    def __init__(self, send: Any, *, shared: bool) -> None:
        self._send = send
        self._always = [*ALWAYS] if shared else [*ALWAYS, UNSHARED]
        self.started = False

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            # Our headers replace those that a library chose.
            own = [header for header in message.get("headers", ()) if header[0].lower() not in _OURS]
            message = {**message, "headers": [*own, *self._always]}
        await self._send(message)


def _values(headers: list[tuple[bytes, bytes]], name: bytes) -> list[bytes]:
    return [value.strip() for key, value in headers if key.lower() == name]


def _judge_token(given: list[bytes], token: str) -> None:
    scheme, _, offered = (given[0] if len(given) == 1 else b"").partition(b" ")
    # Compare all bytes in any case, so that the timing reveals nothing.
    if not compare_digest(offered.strip(), token.encode()) or scheme.lower() != b"bearer":
        raise GasolineError(
            Code.UNAUTHORIZED,
            "The token is missing or wrong: Authorization: Bearer TOKEN. A command that `gasoline-cdp ci` runs has it "
            "in GASOLINE_TOKEN. Otherwise it is in http.json in the runtime directory.",
        )


async def _read_body(scope: Scope, receive: Any, policy: Policy) -> bytes:
    """Read the whole body, and count it while it arrives: Content-Length may be wrong or missing."""
    declared = _values(scope["headers"], b"content-length")
    if declared and (not declared[0].isdigit() or len(declared[0]) > 15 or int(declared[0]) > policy.body_bytes):
        raise _too_large(policy)
    pieces: list[bytes] = []
    size = 0
    with trio.move_on_after(frontend_limits.HTTP_BODY_SECONDS):
        while True:
            message = await receive()
            if message["type"] != "http.request":
                # The client is gone, and nobody will read the answer.
                raise GasolineError(Code.REQUEST_TIMEOUT, "The client went away before its body was complete.")
            size += len(message.get("body", b""))
            if size > policy.body_bytes:
                raise _too_large(policy)
            pieces.append(message.get("body", b""))
            if not message.get("more_body"):
                return b"".join(pieces)
    raise GasolineError(
        Code.REQUEST_TIMEOUT,
        f"The body did not arrive within {frontend_limits.HTTP_BODY_SECONDS:.0f} s. Send it in one go.",
    )


def _too_large(policy: Policy) -> GasolineError:
    return GasolineError(Code.PAYLOAD_TOO_LARGE, f"This path takes bodies of {policy.body_bytes} bytes at most.")


def parse_json(body: bytes) -> Any:
    """JSON that is safe to walk: valid UTF-8, numbers that fit a float, and a bounded depth."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"The body is not JSON: {error.msg} at byte {error.pos}.",
            problems=["body is not JSON"],
        ) from error
    if body.count(b"[") + body.count(b"{") > frontend_limits.JSON_DEPTH and _deeper_than(
        value, frontend_limits.JSON_DEPTH
    ):
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"The body is nested more than {frontend_limits.JSON_DEPTH} levels deep.",
            problems=["body is too deep"],
        )
    return value


def _deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth + 1):
        level = [node for node in level if isinstance(node, dict | list)]
        if not level:
            return False
        level = [member for node in level for member in (node.values() if isinstance(node, dict) else node)]
    return True


def _again(body: bytes, receive: Any) -> Any:
    """Replay the body for the application, then pass on later events, such as the client's disconnect."""
    given = False

    async def receive_again() -> Any:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return receive_again
