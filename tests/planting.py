"""Secrets planted in every place where a page can put one, and all that we would ever say about that page.

A value is made by chance, is planted in one place, and must not be found again: not in an answer, a record, a stream, a
file or a log. What is looked for is a stretch of its letters and digits, which no encoding changes.
"""

import base64
import json
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any, Literal
from urllib.parse import quote

import trio
from attrs import define, evolve, field, frozen
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from gasoline_cdp import wire
from gasoline_cdp.analysis.compare.sessions import compare_sessions
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.answers.record_entries import named_entry
from gasoline_cdp.artifacts.diff_page import diff_page
from gasoline_cdp.cdp.connection import CdpError
from gasoline_cdp.comparisons.session_snapshot import TimeSpan, capture_snapshot
from gasoline_cdp.operations.running import run_operation
from gasoline_cdp.streaming import StreamSettings, Subscription
from gasoline_cdp.unlisted.captured import CAPTURED
from gasoline_cdp.unlisted.documents import DOCUMENT
from gasoline_cdp.unlisted.summary import SUMMARY
from gasoline_cdp.unlisted.verdicts import VERDICT
from tests.made_material import ALNUM, MAKERS
from tests.support import Watch

NAMES = (
    "password", "passwd", "pwd", "passphrase", "secret", "client_secret", "clientSecret", "token", "access_token",
    "refreshToken", "auth_token", "api_key", "apiKey", "private_key", "credential", "session_id", "user_password",
)  # fmt: skip
FORMATS = (
    "aws", "github", "stripe", "jwt", "github_fine", "gitlab", "slack_bot", "google", "openai", "anthropic", "npm",
    "pypi", "sendgrid", "digitalocean", "huggingface", "docker", "private_key",
)  # fmt: skip
_SIGNS = "/+=@!*~-_."


@frozen
class Secret:
    """A made-up secret. Without a name its format gives it away."""

    name: str
    value: str
    kind: str

    @property
    def trace(self) -> str:
        """A stretch of it that shows nowhere by accident, and that neither a mask nor an encoding leaves or changes."""
        start = len(self.value) // 3 if len(self.value) > 60 else 6 if not self.name else 1
        runs: list[str] = re.findall(r"[A-Za-z0-9]+", self.value[start : -3 if not self.name else None])
        return max(runs, key=len)[:14]


def make_secret(chance: Random, *, named: bool, one_line: bool) -> Secret:
    """A secret that its name gives away, or its format."""
    if named:
        inner = "".join(chance.choices(ALNUM, k=12)) + str(chance.randint(10, 99))
        value = f"{chance.choice(ALNUM)}{inner}{chance.choice(_SIGNS)}{''.join(chance.choices(ALNUM, k=3))}"
        return Secret(chance.choice(NAMES), value, "named")
    kind = chance.choice(FORMATS[:-1] if one_line else FORMATS)
    return Secret("", MAKERS[kind](chance), kind)


@frozen
class Place:
    """Where a secret is planted: `script` runs in the page with `n` and `v`, `answer` is what the server then sends."""

    name: str
    script: str
    of: Literal["both", "format", "named"] = "both"
    one_line: bool = False
    answer: Callable[[str, str], str] | None = None
    type: str = "application/json"
    status: int = 200
    # Typed by hand: the id of the field.
    typed: bool = False
    dialog: bool = False


def _slashed(text: str) -> str:
    return text.replace("/", "\\/")


def _pairs(n: str, v: str) -> str:
    return json.dumps({"user": "ada", n: v, "at": 1})


def _map_of(file: str, name: str) -> str:
    """A source map of a script of one line, all of whose code is the beginning of one file."""
    return json.dumps({"version": 3, "sources": [file], "names": [name], "mappings": "AAAAA"})


_GET = "await fetch(`/answer/${k}`).then(r => r.text())"
_POST = "await fetch(`/sink/${k}`, {method: 'POST', body: %s, headers: %s}).then(r => r.text())"
_JSON = "{'content-type': 'application/json'}"
_SCRIPT = (
    "await new Promise(r => { const s = document.createElement('script'); s.src = `/answer/${k}`;"
    " s.onload = r; document.head.append(s); })"
)
_ADD = "document.body.insertAdjacentHTML('beforeend', `%s`)"

PLACES: tuple[Place, ...] = (
    # Addresses.
    Place("url query", "await fetch(`/sink?${n}=${encodeURIComponent(v)}&page=2`)"),
    Place("url query, bare", "await fetch(`/sink?a=1&${n}=${v}`)", one_line=True),
    Place("url query, encoded twice",
          "await fetch('/sink?next=' + encodeURIComponent(`/back?${n}=${encodeURIComponent(v)}`))"),
    Place("url query, JSON", "await fetch('/sink?filter=' + encodeURIComponent(JSON.stringify({[n]: v})))"),
    Place("url path", "await fetch('/sink/' + encodeURIComponent(v))", of="format", one_line=True),
    Place("url fragment", "history.replaceState(null, '', `#${n}=${encodeURIComponent(v)}`)"),
    Place("url of the page", "history.pushState(null, '', `/page?${n}=${encodeURIComponent(v)}`);"
          " await fetch('/sink/referred')"),
    Place("url user part", "await fetch(`http://ada:${encodeURIComponent(v)}@${location.host}/sink`).catch(() => 0)"),
    Place("redirect", _GET, answer=lambda n, v: f"/sink?{n}={quote(v, safe='')}", type="redirect"),
    # What is sent.
    Place("request header", "await fetch('/sink', {headers: {[n]: v}})", one_line=True),
    Place("request header, bearer", "await fetch('/sink', {headers: {Authorization: 'Bearer ' + v}})", one_line=True),
    Place("request header, basic", "await fetch('/sink', {headers: {Authorization: 'Basic ' + btoa('ada:' + v)}})",
          one_line=True),
    Place("request cookie", "document.cookie = `${n}=${encodeURIComponent(v)}; max-age=2`; await fetch('/sink')"),
    Place("request JSON", _POST % ("JSON.stringify({user: 'ada', [n]: v})", _JSON)),
    Place("request JSON, deep", _POST % ("JSON.stringify({a: [{b: {[n]: v}}]})", _JSON)),
    Place("request JSON in JSON", _POST % ("JSON.stringify({body: JSON.stringify({[n]: v})})", _JSON)),
    Place("request form", _POST % ("new URLSearchParams({user: 'ada', [n]: v})", "{}")),
    Place("request multipart", "const f = new FormData(); f.append('user', 'ada'); f.append(n, v);"
          + _POST % ("f", "{}"), one_line=True),
    Place("request XML", _POST % ("`<login><user>ada</user><${n}>${v}</${n}></login>`",
          "{'content-type': 'application/xml'}"), one_line=True),
    Place("request text", _POST % ("`user=ada ${n}=${v}`", "{'content-type': 'text/plain'}"), one_line=True),
    Place("beacon", "navigator.sendBeacon('/sink/beacon', JSON.stringify({[n]: v}))"),
    # What is answered.
    Place("response JSON", _GET, answer=_pairs),
    Place("response JSON, slashes escaped", _GET, answer=lambda n, v: _slashed(_pairs(n, v))),
    Place("response JSON in JSON", _GET, answer=lambda n, v: json.dumps({"body": _pairs(n, v)})),
    Place("response JSON, indented", _GET, answer=lambda n, v: json.dumps({"user": {n: v}}, indent=4)),
    Place("response error", _GET, answer=_pairs, status=500),
    Place("response encoded", _GET, answer=lambda n, v: f"user=ada&{n}={quote(v, safe='')}",
          type="application/x-www-form-urlencoded"),
    Place("response connection string", _GET, of="named",
          answer=lambda _, v: _slashed(json.dumps({"dsn": f"postgres://app:{quote(v, safe='')}@db/shop"}))),
    Place("response HTML, meta", _GET, answer=lambda n, v: f'<html><meta name="{n}" content="{v}">', type="text/html"),
    Place("response HTML, hidden field", _GET, type="text/html",
          answer=lambda n, v: f'<html><form><input value="{v}" type=hidden name="{n}"></form>'),
    Place("response HTML, attribute", _GET, type="text/html", one_line=True,
          answer=lambda n, v: f"<html><div data-{n.replace('_', '-').lower()}='{v}'>hello</div>"),
    Place("response script", _GET, answer=lambda n, v: f"const settings = {{{n}: {json.dumps(v)}}};",
          type="text/javascript"),
    Place("response XML", _GET, answer=lambda n, v: f"<?xml version='1.0'?><r><user>ada</user><{n}>{v}</{n}></r>",
          type="application/xml", one_line=True),
    Place("response header", _GET, answer=_pairs, type="header", one_line=True),
    Place("response Set-Cookie", _GET, answer=_pairs, type="cookie", one_line=True),
    Place("event stream", "await new Promise(r => { const s = new EventSource(`/answer/${k}`);"
          " s.onmessage = () => { s.close(); r(); }; })",
          answer=lambda n, v: f"data: {_pairs(n, v)}\n\n", type="text/event-stream"),
    Place("event stream, two lines", "await new Promise(r => { const s = new EventSource(`/answer/${k}`);"
          " s.onmessage = () => { s.close(); r(); }; })", type="text/event-stream",
          answer=lambda n, v: f'data: {{"{n}":\ndata: {json.dumps(v)}}}\n\n'),
    Place("event stream, fetched", _GET, type="text/event-stream",
          answer=lambda n, v: f"event: login\ndata: {_pairs(n, v)}\n\n"),
    Place("event stream, fetched, two lines", _GET, type="text/event-stream",
          answer=lambda n, v: f'id: 1\ndata: {{"user": "ada", "{n}":\ndata: {json.dumps(v)}}}\n\n'),
    # Sockets.
    Place("socket, sent", "socket.send(JSON.stringify({[n]: v})); await said()"),
    Place("socket, received", "socket.send('#' + k); await said()", answer=_pairs),
    Place("socket, text", "socket.send(`login ${n}=${v} now`); await said()", one_line=True),
    Place("socket address", "const s = new WebSocket(`ws://${location.host}/socket?${n}=${encodeURIComponent(v)}`);"
          " await new Promise(r => s.onopen = r); s.close()"),
    # The console.
    Place("console text", "console.log(`login ${n}: ${v}`)", one_line=True),
    Place("console, separate arguments", "console.error(n || 'value', v)"),
    Place("console, third argument", "console.warn('login', n + ':', v)", one_line=True),
    Place("console object", "console.log('state', {user: 'ada', [n]: v})"),
    Place("console object of an error", "console.error('state', {user: {id: 1, deep: {[n]: v}}})"),
    Place("console table", "console.table([{user: 'ada', [n]: v}])"),
    Place("console table of one", "console.table({user: 'ada', [n]: v})"),
    Place("console %s", "console.log(`with ${n} %s`, v)", one_line=True),
    Place("console %o", "console.log('with %o', {[n]: v})"),
    Place("console map", "console.log(new Map([[n, v]]))"),
    Place("console entries", "console.log([...new URLSearchParams({[n]: v})])", one_line=True),
    Place("console JSON", "console.info(JSON.stringify({[n]: v}))"),
    Place("console, field's markup", "console.log(`<p><input value='${v}' type=text name=${n}></p>`)", of="named"),
    Place("console, text area's markup", "console.warn(`<textarea name='${n}' rows=2>${v}</textarea>`)", of="named"),
    Place("console group", "console.group(`${n}=${v}`); console.groupEnd()", one_line=True),
    Place("console error", "console.error(new Error(`failed with ${n}=${v}`))", one_line=True),
    Place("console error's cause", "console.error(new Error('failed', {cause: new Error(`${n}: '${v}'`)}))",
          one_line=True),
    Place("console error's property", "console.error(Object.assign(new Error('failed'), {[n]: v}))"),
    Place("exception", "setTimeout(() => { throw new Error(`${n}=${v}`); })", one_line=True),
    Place("exception, object", "setTimeout(() => { throw {[n]: v}; })"),
    Place("rejection", "Promise.reject(new Error(JSON.stringify({[n]: v})))"),
    Place("rejection, object", "Promise.reject({user: 'ada', [n]: v})"),
    Place("stack", "setTimeout(new Function(`throw new Error('x')\\n//# sourceURL=app.js?${n}=${v}`))", one_line=True),
    Place("initiator",
          "await new Function(`return fetch('/sink/started')\\n//# sourceURL=http://app.test/a.js?${n}=${v}`)()",
          one_line=True),
    Place("source map, file", _SCRIPT, type="source map",
          answer=lambda n, v: _map_of(f"webpack://app/src/a.ts?{n}={v}", ""), one_line=True),
    Place("source map, name", _SCRIPT, type="source map", of="format",
          answer=lambda _, v: _map_of("a.ts", v), one_line=True),
    Place("worker", "await new Promise(r => { const w = new Worker(URL.createObjectURL(new Blob("
          "[`console.error(${JSON.stringify(n || 'value')}, ${JSON.stringify(v)}); postMessage(1)`])));"
          " w.onmessage = () => { w.terminate(); r(); }; })"),
    Place("dialog", "setTimeout(() => alert(`${n}: ${v}`))", one_line=True, dialog=True),
    # The page.
    Place("title", "document.title = `Hello ${n}=${v}`", one_line=True),
    Place("heading", _ADD % "<h2>${n}: ${v}</h2>", one_line=True),
    Place("meta", "document.head.append(Object.assign(document.createElement('meta'), {name: n, content: v}))"),
    Place("data attribute", "const d = document.createElement('p'); d.setAttribute('data-' + n.replaceAll('_', '-')"
          ".toLowerCase(), v); document.body.append(d)"),
    Place("attribute", "const d = document.createElement('x-app'); d.setAttribute(n.toLowerCase(), v);"
          " document.body.append(d)"),
    Place("hidden field", "document.forms[0].append(Object.assign(document.createElement('input'),"
          " {type: 'hidden', name: n, value: v}))"),
    Place("field with a value", "const d = document.createElement('input'); d.name = n; d.setAttribute('value', v);"
          " document.forms[0].append(d)", one_line=True),
    Place("text area", "document.forms[0].append(Object.assign(document.createElement('textarea'),"
          " {name: n, defaultValue: v}))"),
    Place("link", "document.body.append(Object.assign(document.createElement('a'),"
          " {href: `/p?${n}=${encodeURIComponent(v)}`, textContent: 'go'}))"),
    Place("form action", "document.body.append(Object.assign(document.createElement('form'),"
          " {action: `/p?${n}=${encodeURIComponent(v)}`}))"),
    Place("typed", "document.forms[0].insertAdjacentHTML('beforeend', `<input name=${n} id=typed-${k}>`)",
          one_line=True, typed=True),
    Place("typed into a text area",
          "document.forms[0].insertAdjacentHTML('beforeend', `<textarea id=typed-${k} name=${n}></textarea>`)",
          one_line=True, typed=True),
    Place("localStorage", "localStorage.setItem(n, v)"),
    Place("sessionStorage", "sessionStorage.setItem(n, v)"),
    Place("name of a stored key", "localStorage.setItem('cache-' + v, '1')", of="format", one_line=True),
)  # fmt: skip


@define
class Planted:
    """What was planted where."""

    found: dict[str, tuple[str, Secret]] = field(factory=dict)
    answers: dict[str, tuple[Place, str, Secret]] = field(factory=dict)


def _respond(place: Place, text: str, secret: Secret) -> Response:
    name = secret.name or "note"
    if place.type == "redirect":
        return Response(status_code=302, headers={"location": text})
    if place.type == "header":
        return Response("{}", headers={name: secret.value})
    if place.type == "cookie":
        return Response("{}", headers={"set-cookie": f"{name}={quote(secret.value, safe='')}; max-age=2"})
    return Response(text, media_type=place.type, status_code=place.status)


def planting_app(planted: Planted) -> Starlette:
    """A site that answers what was planted."""

    async def page(_: Request) -> Response:
        return HTMLResponse("<!doctype html><title>Planted</title><h1>Planted</h1><form action=/sink></form>")

    async def sink(_: Request) -> Response:
        return Response('{"ok": true}', media_type="application/json")

    async def answer(request: Request) -> Response:
        key = request.path_params["key"]
        if planted.answers[key][0].type == "source map":
            script = f"throw new Error('mapped');\n//# sourceMappingURL=/map/{key}"
            return Response(script, media_type="text/javascript")
        return _respond(*planted.answers[key])

    async def source_map(request: Request) -> Response:
        return Response(planted.answers[request.path_params["key"]][1], media_type="application/json")

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        async for said in websocket.iter_text():
            await websocket.send_text(planted.answers[said[1:]][1] if said[0] == "#" else "ok")

    return Starlette(
        routes=[
            Route("/page", page),
            Route("/sink", sink, methods=["GET", "POST"]),
            Route("/sink/{rest:path}", sink, methods=["GET", "POST"]),
            Route("/answer/{key}", answer),
            Route("/map/{key}", source_map),
            WebSocketRoute("/socket", socket),
        ]
    )


async def plant(watch: Watch, site: str, planted: Planted, chance: Random, places: tuple[Place, ...] = PLACES) -> None:
    """One secret in each place of a fresh page."""
    await watch.open(f"{site}page")
    await watch.evaluate(
        "(async () => { window.socket = new WebSocket(`ws://${location.host}/socket`);"
        " await new Promise(r => socket.onopen = r);"
        " window.said = () => new Promise(r => socket.onmessage = r); })()"
    )
    for place in places:
        named = place.of == "named" or (place.of == "both" and chance.random() < 0.6)
        secret = make_secret(chance, named=named, one_line=place.one_line)
        key = f"k{len(planted.found)}"
        name = secret.name or "note"
        planted.found[key] = place.name, secret
        if place.answer is not None:
            planted.answers[key] = place, place.answer(name, secret.value), secret
        given = f"const n = {json.dumps(name)}, v = {json.dumps(secret.value)}, k = {json.dumps(key)};"
        await watch.evaluate(f"(async () => {{ {given} {place.script}; }})()")
        if place.dialog:
            await watch.log("Dialog (alert)")
            # Whoever launched a headless browser answers its dialogs, and may have been first.
            with suppress(CdpError):
                await watch.tab.session.send("Page.handleJavaScriptDialog", {"accept": True})
        if place.typed:
            await watch.evaluate(f"document.getElementById('typed-{key}').focus()")
            await watch.tab.session.send("Input.insertText", {"text": secret.value})
    await watch.evaluate("document.activeElement.blur()")
    await watch.evaluate("fetch('/sink/last')")
    await watch.request("/sink/last")
    await watch.actions_told()
    await watch.bodies_read()
    await watch.daemon.capture.previews.backlog.wait_idle()
    await watch.daemon.capture.source_maps.backlog.wait_idle()


_WHATS = (
    "errors", "logs", "network", "network_bodies", "websockets", "actions", "vitals", "performance", "page", "tabs",
    "timeline", "dom_snapshots", "accessibility_tree", "status",
)  # fmt: skip


async def everything_said(watch: Watch) -> dict[str, str]:
    """All answers, records, streams and files that tell of what was captured, each as one text."""
    said: dict[str, object] = {}
    much = {"limit": 1000, "max_bytes": 50_000}
    for what in _WHATS:
        said[f"observe {what}"] = await _all_pages(watch, "observe", what=what, max_bytes=50_000)
    said["get_network_bodies"] = await _all_pages(watch, "get_network_bodies", **much)
    said["get_websocket_events"] = await _all_pages(watch, "get_websocket_events", **much)
    said["get_page_info"] = await watch.call("get_page_info")
    said["query_dom"] = [
        await _all_pages(watch, "query_dom", selector=selector, include_children=True)
        for selector in ("meta", "form", "p", "x-app", "a", "h2", "form *")
    ]
    said["security_audit"] = await _all_pages(watch, "security_audit", severity_min="info", limit=100)
    said["validate_api"] = [
        await watch.call("validate_api", action=action, limit=1000) for action in ("analyze", "report")
    ]
    said["generate"] = await watch.call("generate", format="openapi", output=None)
    said["run_accessibility_audit"] = await watch.call("run_accessibility_audit", force_refresh=True)
    watch.context.pilot.switch(on=True, by="person")
    said["analyze"] = [
        await watch.call("analyze", action="security", scope="full"),
        await watch.call("analyze", action="audit", scope="full", force_refresh=True),
    ]
    watch.context.pilot.switch(on=False, by="person")
    for record in list(watch.telemetry.network.newest()):
        said[f"request {record.id}"] = await watch.call("observe", what="network", request_id=record.id)
        if "/answer/" in record.url and record.status in (200, 500):
            said[f"body {record.id}"] = await watch.call("get_network_bodies", request_id=record.id, full_body=True)
    for kind in ("har", "sarif", "pr_summary"):
        said[f"GET /artifact {kind}"] = (await run_operation(DOCUMENT, watch.context, {"format": kind})).data
    gates = ["console-errors", "network-errors", "security:info", "contract-violations"]
    said["POST /verdict"] = (await run_operation(VERDICT, watch.context, {"fail_on": gates})).data
    said["GET /snapshot"] = json.loads((await run_operation(CAPTURED, watch.context, {})).json)
    said["summary"] = (await run_operation(SUMMARY, evolve(watch.context, form="lines"), {})).text
    snapshot = await capture_snapshot(watch.context, TimeSpan(), {}, ())
    said["snapshot file"] = wire.dump(snapshot)
    said["diff page"] = _diff(snapshot)
    said["watch"] = [
        named_entry(watch.telemetry.known(record))
        for ring in watch.telemetry.rings().values()
        for record in ring.newest()
    ]
    said["store"] = repr([list(ring.newest()) for ring in watch.telemetry.rings().values()])
    said["sightings"] = repr(watch.telemetry.sightings.newest())
    return {
        name: text if isinstance(text, str) else json.dumps(text, ensure_ascii=False, default=str)
        for name, text in said.items()
    }


async def plant_and_look(
    watch: Watch,
    site: str,
    planted: Planted,
    chance: Random,
    batches: int,
    done: Callable[[int], None] = lambda _: None,
) -> list[tuple[str, str, str, str]]:
    """So many secrets in each place; what shows of them, by place, kind, name and where it showed."""
    shows: set[tuple[str, str, str, str]] = set()
    streamed: list[dict[str, Any]] = []

    async def listen(subscription: Subscription) -> None:
        async for notification in subscription:
            streamed.append(notification)  # noqa: PERF401 - it never ends by itself

    settings = StreamSettings(enabled=True, throttle_seconds=1)
    with logs_kept() as logs, watch.context.streaming.subscribe(settings) as subscription:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(listen, subscription)
            for number in range(batches):
                await plant(watch, site, planted, chance)
                shows |= set(leaks(planted, await everything_said(watch)))
                watch.telemetry.clear()
                done(number)
            shows |= set(leaks(planted, {"event stream": json.dumps(streamed), "log": "\n".join(logs)}))
            nursery.cancel_scope.cancel()
    return sorted(shows)


def _diff(now: SessionSnapshot) -> str:
    before = evolve(now, errors=(), network=())
    return diff_page(before, now, compare_sessions(before, now), names=("before", "after"), css="")


async def _all_pages(watch: Watch, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    pages: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while len(pages) < 30:
        pages.append(await watch.call(tool, **arguments, **cursor))
        if not (follow := pages[-1].get("cursor")):
            break
        cursor = {"cursor": follow}
    return pages


def leaks(planted: Planted, said: dict[str, str]) -> list[tuple[str, str, str, str]]:
    """Place, kind, name and value, and where it showed, for every secret that did."""
    found = []
    for place, secret in planted.found.values():
        traces = [secret.trace]
        if place == "request header, basic":
            traces.append(base64.b64encode(f"ada:{secret.value}".encode()).decode()[8:22])
        found += [
            (place, secret.kind, f"{secret.name} {secret.value}", where)
            for where, text in said.items()
            if any(trace in text for trace in traces)
        ]
    return found


@contextmanager
def logs_kept() -> Iterator[list[str]]:
    """Everything that is logged meanwhile, as `--verbose` would."""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage() + str(record.exc_info or ""))

    handler = Keep()
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield lines
    finally:
        root.setLevel(level)
        root.removeHandler(handler)
