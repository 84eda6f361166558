"""The gate: who is let in, who is told what, and what nobody gets past."""

import json
from collections.abc import AsyncIterator
from typing import Any

import h11
import pytest
import trio

from gasoline_cdp.errors import Code
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.http.access import Access, make_access
from gasoline_cdp.frontends.http.app import HttpFrontend
from gasoline_cdp.frontends.http.gate import UNDECLARED, HttpGate
from gasoline_cdp.frontends.http.http_errors import STATUS
from gasoline_cdp.frontends.mcp.server import McpFrontend
from gasoline_cdp.operations.context import Context
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.views.status import memory_mb
from tests.fakes import log_record, make_context
from tests.http_client import Http, Reply, open_http
from tests.pilot import calls_of
from tests.processes import until
from tests.support import PATIENCE

CONTROL = [
    ("GET", "/snapshot"),
    ("POST", "/clear"),
    ("POST", "/test-boundary"),
    ("POST", "/tools/observe"),
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
]
INGEST = ["/logs", "/network-bodies", "/websocket-events", "/performance-snapshot"]
EVERYWHERE = [
    *CONTROL,
    *(("POST", path) for path in INGEST),
    *(("OPTIONS", path) for path in INGEST),
    ("GET", "/health"),
    ("GET", "/no-such-path"),
    ("GET", "/"),
    ("PUT", "/snapshot"),
]
PLANTED = "planted-marker-of-this-test"


@pytest.fixture
async def http() -> AsyncIterator[Http]:
    context = make_context()
    context.telemetry.add(log_record(1, PLANTED))
    async with open_http(context) as served:
        yield served


def _closed(reply: Reply) -> None:
    assert PLANTED.encode() not in reply.body
    assert not [name for name in reply.names() if name.startswith("access-control")]


def test_every_route_has_declared_its_policy() -> None:
    """Starlette's table and the gate's are made from one list; nothing may reach the first around the second."""
    context = make_context()
    frontend = _frontend(context)
    assert len(frontend.routes) >= 10
    for route in frontend.routes:
        path = f"{route.path}observe" if route.path.endswith("/") else route.path
        assert frontend.gate.policy_of(path) is route.policy, path
        assert (route.answer is None) != (route.app is None), path


def _frontend(context: Context) -> HttpFrontend:
    # No session is opened, so that no nursery is needed.
    no_nursery: Any = None
    return HttpFrontend(context, McpFrontend(context), make_access(1, no_token=False), no_nursery)


def _gate(context: Context) -> HttpGate:
    return _frontend(context).gate


@pytest.mark.parametrize(
    ("path", "declared"),
    [("/snapshot/", False), ("//snapshot", False), ("/tools/", False), ("/tools/a/b", False), ("/tools/x", True)],
)
def test_paths_that_only_look_like_routes_have_no_policy_but_the_strictest(path: str, declared: bool) -> None:
    policy = _gate(make_context()).policy_of(path)
    assert (policy is not UNDECLARED) == declared
    assert policy.needs == "token"


def test_every_error_has_its_status() -> None:
    assert set(STATUS) == set(Code)
    assert all(400 <= status < 600 for status in STATUS.values())


@pytest.mark.requirement("S02")
@pytest.mark.parametrize(("method", "path"), EVERYWHERE)
async def test_a_foreign_host_is_misdirected_on_every_route(method: str, path: str, http: Http) -> None:
    port = http.access.port
    foreign = [
        "evil.test", f"evil.test:{port}", "127.0.0.1", "localhost", f"127.0.0.1:{port + 1}", f"localhost.:{port}",
        f"127.0.0.1.nip.io:{port}", f"0.0.0.0:{port}", f"[::1]:{port}", f"127.0.0.1:{port}@evil.test", f"127.1:{port}",
    ]  # fmt: skip
    for host in foreign:
        reply = await http.ask(method, path, host=host)
        assert (reply.status, reply.error) == (421, "misdirected_request"), (host, reply)
        _closed(reply)


@pytest.mark.requirement("S02")
@pytest.mark.parametrize("path", ["/health", "/snapshot", "/logs", "/no-such-path"])
async def test_a_missing_or_doubled_host_is_misdirected(path: str, http: Http) -> None:
    token = f"Authorization: Bearer {http.access.token}\r\nConnection: close\r\n\r\n".encode()
    ours = f"Host: {http.authority}\r\n".encode()
    for hosts in (b"", ours + b"Host: evil.test\r\n", b"Host: evil.test\r\n" + ours, ours + ours):
        reply = await http.raw(b"GET " + path.encode() + b" HTTP/1.1\r\n" + hosts + token)
        assert (reply.status, reply.error) == (421, "misdirected_request"), hosts
    reply = await http.raw(b"GET " + path.encode() + b" HTTP/1.0\r\n\r\n")
    assert reply.status == 421


@pytest.mark.requirement("S02")
async def test_both_names_of_this_machine_are_ours(http: Http) -> None:
    for host in (f"127.0.0.1:{http.access.port}", f"localhost:{http.access.port}", f"LOCALHOST:{http.access.port}"):
        assert (await http.ask("GET", "/health", host=host)).status == 200


@pytest.mark.requirement("S03", "S05")
@pytest.mark.parametrize(("method", "path"), [*CONTROL, ("GET", "/health"), ("GET", "/no-such-path")])
async def test_a_foreign_origin_is_refused_even_with_the_token(method: str, path: str, http: Http) -> None:
    port = http.access.port
    foreign = [
        "null", "http://evil.test", f"http://127.0.0.1:{port + 1}", "http://localhost", f"https://127.0.0.1:{port}",
        f"http://localhost.evil.test:{port}", f"http://127.0.0.1:{port}.evil.test", "", "file://", f"http://[::1]:{port}",
    ]  # fmt: skip
    for origin in foreign:
        reply = await http.ask(method, path, headers={"Origin": origin})
        assert (reply.status, reply.error) == (403, "foreign_origin"), origin
        _closed(reply)
    own = await http.ask("GET", "/health", headers={"Origin": f"http://127.0.0.1:{port}"})
    assert own.status == 200
    _closed(own)


@pytest.mark.requirement("S04", "S05")
@pytest.mark.parametrize(("method", "path"), [*CONTROL, ("GET", "/health")])
async def test_a_request_of_another_site_is_refused(method: str, path: str, http: Http) -> None:
    for site in ("cross-site", "same-site", "anything-new"):
        reply = await http.ask(method, path, headers={"Sec-Fetch-Site": site})
        assert (reply.status, reply.error) == (403, "foreign_origin"), site
        _closed(reply)
    for site in ("none", "same-origin"):
        assert (await http.ask("GET", "/health", headers={"Sec-Fetch-Site": site})).status == 200


@pytest.mark.requirement("S05")
@pytest.mark.parametrize(("method", "path"), [*CONTROL, ("GET", "/health"), ("OPTIONS", "/snapshot")])
async def test_no_access_control_header_outside_ingestion(method: str, path: str, http: Http) -> None:
    asking = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Private-Network": "true"}
    for token in (True, False):
        reply = await http.ask(method, path, token=token, headers=asking)
        assert not [name for name in reply.names() if name.startswith("access-control")]
        assert reply.header("cross-origin-resource-policy") == "same-origin"
        assert reply.header("cache-control") == "no-store"
        assert reply.header("x-content-type-options") == "nosniff"


@pytest.mark.requirement("F3-HTTP")
@pytest.mark.parametrize(("method", "path"), [*CONTROL, ("GET", "/no-such-path"), ("POST", "/tools/no_such_tool")])
async def test_without_the_token_nothing_is_read_or_controlled(method: str, path: str, http: Http) -> None:
    right = http.access.token or ""
    wrong = [
        "", "Bearer", f"Bearer {right[:-1]}", f"Bearer {right}x", f"Basic {right}", right, f"Bearer {right.swapcase()}",
        f"Bearer  {right}, Bearer x",
    ]  # fmt: skip
    for value in wrong:
        reply = await http.ask(method, path, token=False, headers={"Authorization": value} if value else {})
        assert (reply.status, reply.error) == (401, "unauthorized"), value
        assert (reply.header("www-authenticate") or "").startswith("Bearer")
        _closed(reply)
        assert right not in str(reply)
    assert (await http.ask("GET", f"/snapshot?token={right}", token=False)).status == 401
    twice = f"GET /snapshot HTTP/1.1\r\nHost: {http.authority}\r\n" + f"Authorization: Bearer {right}\r\n" * 2 + "\r\n"
    assert (await http.raw(twice.encode())).status == 401


async def test_without_a_token_at_all_the_rest_of_the_gate_stands() -> None:
    async with open_http(make_context(), no_token=True) as http:
        assert (await http.ask("GET", "/snapshot")).status == 200
        assert (await http.ask("GET", "/snapshot", headers={"Origin": "http://evil.test"})).status == 403
        assert (await http.ask("GET", "/snapshot", host="evil.test")).status == 421
        assert (await http.ask("POST", "/logs", {"message": "x"})).status == 403


@pytest.mark.requirement("S06", "S07")
@pytest.mark.parametrize("path", INGEST)
async def test_ingestion_needs_the_key_and_tells_nothing(path: str, http: Http) -> None:
    key = http.access.ingest_key
    origin = {"Origin": "https://app.test"}
    for query, body in (
        ("", {"message": "x"}),
        ("?key=", {}),
        (f"?key={key[:-1]}", {}),
        (f"?key={key}&key={key}", {}),
        ("", {"key": "wrong"}),
        ("", {"key": 5}),
        (f"?key={http.access.token}", {}),
    ):
        reply = await http.ask("POST", path + query, body, token=False, headers=origin)
        assert (reply.status, reply.error) == (403, "wrong_ingest_key"), (query, body)
        _closed(reply)
        preflight = await http.ask("OPTIONS", path + query, token=False, headers=origin)
        _closed(preflight)
    # The token of a program is not the key of a page.
    assert (await http.ask("POST", path, {"message": "x"})).status == 403
    entry = {"message": "m", "url": "http://app.test/", "id": "c1"}
    for query, sent in ((f"?key={key}", entry), ("", {**entry, "key": key}), ("", {"key": key, "entries": [entry]})):
        for kind in ("application/json", "text/plain;charset=UTF-8"):
            headers = {**origin, "Content-Type": kind, "Sec-Fetch-Site": "cross-site"}
            reply = await http.ask("POST", path + query, sent, token=False, headers=headers)
            assert (reply.status, reply.json) == (200, {"accepted": 1})
            assert reply.header("access-control-allow-origin") == "https://app.test"
            assert "access-control-allow-credentials" not in reply.names()
    asking = {**origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"}
    preflight = await http.ask("OPTIONS", f"{path}?key={key}", token=False, headers=asking)
    assert preflight.status == 204
    assert preflight.header("access-control-allow-methods") == "POST"
    assert preflight.header("access-control-allow-private-network") == "true"
    assert (await http.ask("GET", f"{path}?key={key}", token=False)).status == 405


@pytest.mark.requirement("S10")
async def test_a_body_too_large_is_refused_before_it_is_parsed(http: Http) -> None:
    for path, size in (
        ("/logs?key=" + http.access.ingest_key, frontend_limits.INGEST_BYTES),
        ("/tools/observe", frontend_limits.HTTP_TOOL_BYTES),
        ("/test-boundary", frontend_limits.HTTP_SMALL_BYTES),
        ("/mcp", frontend_limits.HTTP_MCP_BYTES),
        ("/clear", frontend_limits.HTTP_SMALL_BYTES),
    ):
        # Only announced: not a byte of it is waited for.
        announced = await http.ask("POST", path, headers={"Content-Length": str(size + 1)})
        assert (announced.status, announced.error) == (413, "payload_too_large"), path
        head = f"POST {path} HTTP/1.1\r\nHost: {http.authority}\r\nAuthorization: Bearer {http.access.token}\r\n"
        chunks = b"10000\r\n" + b"[" * 65536 + b"\r\n"
        told = await http.raw(
            head.encode() + b"Transfer-Encoding: chunked\r\n\r\n" + chunks * (size // 65536 + 1) + b"0\r\n\r\n", "POST"
        )
        assert (told.status, told.error) == (413, "payload_too_large"), path
    for length in ("-1", "1e3", "99999999999999999999999", "0x10"):
        assert (await http.ask("POST", "/clear", headers={"Content-Length": length})).status in {400, 413}
    assert (await http.ask("POST", "/clear")).status == 200


@pytest.mark.requirement("S10")
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200 + b"]" * 200,
        b'{"a":' * 200_000 + b"1" + b"}" * 200_000,
        b'{"what": 1e999}',
        b'{"what": ' + b"9" * 100_000 + b"}",
        b'{"what": "\xff\xfe"}',
        b'{"what": "\\ud800"}',
        b"{",
        b"NaN",
        b"\x00",
        b'{"what": "errors"} trailing',
    ],
    ids=["deep", "very-deep", "infinite", "huge", "not-utf8", "half-a-pair", "cut", "nan", "nul", "trailing"],
)
async def test_json_that_nobody_should_walk_is_refused(body: bytes, http: Http) -> None:
    for path in ("/tools/observe", "/test-boundary", "/mcp", f"/logs?key={http.access.ingest_key}"):
        if len(body) > frontend_limits.HTTP_SMALL_BYTES and path == "/test-boundary":
            continue
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        reply = await http.ask("POST", path, body, headers=headers)
        assert reply.status in {400, 413}, (path, reply)
        assert reply.error in {"invalid_params", "payload_too_large"}
    assert (await http.ask("POST", "/tools/observe", {"what": "errors"})).status == 200


@pytest.mark.requirement("S10")
async def test_memory_stays_bounded_under_large_bodies(http: Http) -> None:
    path = f"/logs?key={http.access.ingest_key}"
    line = {"message": "x" * 5000, "level": "error"}
    batch = json.dumps({"entries": [line] * 190}).encode()
    assert len(batch) < frontend_limits.INGEST_BYTES
    await http.ask("POST", path, batch)
    before = memory_mb() or 0
    for _ in range(30):
        assert (await http.ask("POST", path, batch)).status == 200
        assert (await http.ask("POST", path, b"[" * frontend_limits.INGEST_BYTES)).status == 400
    assert (memory_mb() or 0) - before < 40


async def test_ingestion_that_floods_is_slowed_and_others_are_not(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontend_limits, "INGEST_BURST", 20)
    # Time stands still, however slow the machine: what is in the bucket is all there is.
    http.frontend.gate._clock = lambda: 5.0
    path = f"/logs?key={http.access.ingest_key}"
    loud = [await http.ask("POST", path, {"message": "x"}, headers={"Origin": "https://loud.test"}) for _ in range(25)]
    assert [reply.status for reply in loud] == [200] * 20 + [429] * 5
    assert loud[-1].error == "rate_limited"
    assert loud[-1].header("retry-after") == "1"
    quiet = await http.ask("POST", path, {"message": "x"}, headers={"Origin": "https://quiet.test"})
    assert quiet.status == 200
    assert (await http.ask("GET", "/snapshot")).status == 200


async def test_a_wrong_method_and_an_unknown_path_say_what_there_is(http: Http) -> None:
    wrong = await http.ask("GET", "/clear")
    assert (wrong.status, wrong.error, wrong.header("allow")) == (405, "method_not_allowed", "POST")
    unknown = await http.ask("GET", "/snapshots")
    assert (unknown.status, unknown.error) == (404, "no_such_endpoint")
    assert "/snapshot" in unknown.json["details"]["endpoints"]
    head = await http.ask("HEAD", "/health")
    assert (head.status, head.body) == (200, b"")


async def test_what_is_no_http_is_refused_in_our_words(http: Http) -> None:
    for garbage in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
    ):
        assert (await http.raw(garbage)).error == "invalid_params"
    huge = b"GET /health HTTP/1.1\r\nHost: " + http.authority.encode() + b"\r\nX: " + b"a" * 100_000 + b"\r\n\r\n"
    assert (await http.raw(huge)).status in {400, 431}
    # No other protocol is spoken here.
    assert (await http.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).error == "invalid_params"
    assert (await http.raw(b"GET /health HTTP/3.0\r\nHost: " + http.authority.encode() + b"\r\n\r\n")).status == 400
    assert (await http.ask("GET", "/health")).status == 200


async def test_an_offer_of_http2_is_judged_by_the_gate_like_any_other_request(http: Http) -> None:
    offer = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2-Settings": "AAMAAABkAAQAoAAAAAIAAAAA"}
    for method, path in EVERYWHERE:
        for status, host, token in ((421, "evil.test", True), (401, None, False), (200, None, True)):
            if status != 421 and (method, path) != ("GET", "/snapshot"):
                continue
            given = {"Host": host or http.authority, **offer}
            if token:
                given["Authorization"] = f"Bearer {http.access.token}"
            head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
            # A 101 would not be skipped: the client did not ask for one.
            reply = await http.raw(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode(), method)
            assert (reply.status, PLANTED.encode() in reply.body) == (status, status == 200)


async def _some(stream: trio.SocketStream) -> bytes:
    try:
        return bytes(await stream.receive_some(65536))
    except trio.BrokenResourceError:
        return b""


@pytest.mark.parametrize("path", ["/mcp", "/events/stream", "/snapshot", "/"])
async def test_a_websocket_is_refused_by_the_same_rules(path: str, http: Http) -> None:
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    for status, host, headers in (
        (421, "evil.test", {}),
        (403, None, {"Origin": "http://evil.test"}),
        (404, None, {}),
    ):
        head = "".join(f"{name}: {value}\r\n" for name, value in {**upgrade, **headers}.items())
        request = f"GET {path} HTTP/1.1\r\nHost: {host or http.authority}\r\n{head}"
        reply = await http.raw(f"{request}Authorization: Bearer {http.access.token}\r\n\r\n".encode())
        assert reply.status == status


@pytest.mark.requirement("S11")
async def test_slow_and_idle_connections_are_closed(http: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontend_limits, "HTTP_BODY_SECONDS", 0.2)
    slow = await http.raw(
        f"POST /clear HTTP/1.1\r\nHost: {http.authority}\r\nAuthorization: Bearer {http.access.token}\r\n"
        "Content-Length: 100\r\n\r\nabc".encode(),
        "POST",
    )
    assert (slow.status, slow.error) == (408, "request_timeout")


@pytest.mark.requirement("S11")
async def test_a_head_that_never_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontend_limits, "HTTP_IDLE_SECONDS", 0.2)
    async with open_http(make_context()) as http:
        streams = [await http.connect() for _ in range(20)]
        for number, stream in enumerate(streams):
            await stream.send_all(b"" if number % 2 else b"GET /health HTTP/1.1\r\nX-Slow: ")
        with trio.fail_after(PATIENCE):
            for stream in streams:
                assert await _some(stream) == b""
                await stream.aclose()
        assert (await http.ask("GET", "/health")).status == 200


@pytest.mark.requirement("S11")
async def test_more_clients_than_we_serve_are_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontend_limits, "HTTP_CONNECTIONS", 10)
    async with open_http(make_context()) as http:
        held = [await http.connect() for _ in range(10)]
        with trio.fail_after(PATIENCE):
            async with await http.connect() as turned_away:
                assert await _some(turned_away) == b""
        for stream in held:
            await stream.aclose()

        async def served() -> bool:
            try:
                return (await http.ask("GET", "/health")).status == 200
            except (OSError, h11.RemoteProtocolError):
                return False

        await until(served)


@pytest.mark.requirement("S15")
async def test_no_route_turns_the_pilot_on() -> None:
    context = make_context()
    async with open_http(context) as http:
        body = {
            "pilot": True,
            "on": True,
            "enabled": True,
            "action": "start",
            "test_id": "t",
            "message": "m",
            "url": "u",
        }
        declared = [(method, route.path) for route in http.frontend.routes for method in route.policy.methods]
        for method, path in {*EVERYWHERE, *declared} - {("GET", "/events/stream")}:
            for query in ("", "?pilot=true&on=1", f"?key={http.access.ingest_key}&pilot=1"):
                await http.ask(method, path + query, body, headers={"X-Gasoline-Pilot": "on", "X-Pilot": "1"})
        for tool in TOOLS.values():
            await http.ask("POST", f"/tools/{tool.name}", {**body})
            for arguments in calls_of(tool.name):
                await http.ask("POST", f"/tools/{tool.name}", arguments)
            for name in ("what", "action", "format", "direction"):
                for value in ("on", "pilot", "start"):
                    await http.ask("POST", f"/tools/{tool.name}", {name: value})
        await http.ask("POST", "/tools/pilot", {"on": True})
        assert (await http.ask("GET", "/events/stream?pilot=true")).status == 400
    assert not context.pilot.on
    assert all(event.what == "refused" for event in context.pilot.events)


@pytest.mark.requirement("S26")
async def test_token_and_key_are_long_random_and_die_with_the_run() -> None:
    made = [make_access(1, no_token=False) for _ in range(200)]
    assert len({access.token for access in made} | {access.ingest_key for access in made}) == 400
    for access in made:
        # 6 bits a character.
        assert len(access.token or "") * 6 >= 128
        assert len(access.ingest_key) * 6 >= 128
    async with open_http(make_context()) as old:
        last = old.access
    async with open_http(make_context()) as new:
        stale = Http(Access(new.access.port, last.token, last.ingest_key))
        assert (await stale.ask("GET", "/snapshot")).status == 401
        assert (await stale.ask("POST", f"/logs?key={last.ingest_key}", {"message": "x"})).status == 403
