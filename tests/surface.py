"""All that anybody can read of a daemon: tools at their widest, HTTP, resources, streams, files, the live view."""

import itertools
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from attrs import define, evolve, field

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.record_entries import named_entry
from gasoline_cdp.comparisons.session_snapshot import TimeSpan, capture_snapshot
from gasoline_cdp.comparisons.snapshot_checks import SNAPSHOT_CHECKS
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.cli.comparing import run_diff
from gasoline_cdp.frontends.cli.snapshot_files import write_snapshot
from gasoline_cdp.frontends.mcp import resources
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.http_client import Http, open_http
from tests.support import PATIENCE, Watch

CALLER = {"X-Gasoline-Client": "surface"}
# What makes a tool show as much as it can, by the names of arguments.
WIDEST: dict[str, Any] = {
    "limit": 1000, "max_bytes": limits.ANSWER_BYTES_MAX, "include_static": True, "include_styles": True,
    "include_children": True, "max_depth": 5, "pierce": True, "include_passes": True, "force_refresh": True,
    "severity_min": "info", "include_url": False, "snapshot_name": "made", "name": "made", "compare_a": "made",
    "label": "made", "enabled": True, "throttle_seconds": 1, "duration_ms": 1, "full_page": True,
}  # fmt: skip
# What a tool needs beyond that, and what several questions have to be asked for.
ASKED: dict[str, list[dict[str, Any]]] = {
    "query_dom": [{"selector": name} for name in ("*", "body", "input", "[data-planted]", "h2", "no-such")],
    "execute_javascript": [
        {"script": script}
        for script in (
            "document.documentElement.outerHTML", "({...localStorage})", "({...sessionStorage})", "document.cookie",
            "location.href", "document.title", "throw new Error(document.title)", "console.log(document.title)",
            "Promise.reject(document.title)", "new Map([[document.title, document.body]])",
        )
    ],
    "highlight_element": [{"selector": "[data-planted]"}, {"selector": "no-such"}],
    "generate": [{"output": "made/api.json"}, {}],
    "act": [{"steps": [{"do": "hover", "target": name}]} for name in ("[data-planted]", "no-such", 'button "planted"')],
    "set_conditions": [{"blocked": ["no-such-address"]}, {"reset": True}],
    "debug": [{"at": "page.js:1", "expression": "document.title"}],
}  # fmt: skip
_REQUESTS_AS_LINES = 30
# These choose among what an answer shows; all of it is wanted, so only those that name a question are gone through.
_QUESTIONS = {"what", "action", "scope", "format"}


def widest_calls(name: str) -> Iterator[dict[str, Any]]:
    """Calls of a tool: each of its questions, asked so that the answer shows most."""
    properties = wire.schema_of(TOOLS[name].args)["properties"]
    wide = {key: value for key, value in WIDEST.items() if key in properties}
    for key, part in properties.items():
        if "enum" in part.get("items", {}):
            wide[key] = part["items"]["enum"]
        if key in wide and "maximum" in part:
            wide[key] = min(wide[key], part["maximum"])
    questions = {key: part["enum"] for key, part in properties.items() if key in _QUESTIONS and "enum" in part}
    asked: list[dict[str, Any]] = []
    for chosen in itertools.product(*questions.values()):
        if "replay" in chosen:
            # It repeats what a person did, from the page on where that began: what was planted would be gone.
            continue
        for more in ASKED.get(name, [{}]):
            call = {**wide, **dict(zip(questions, chosen, strict=True)), **more}
            usable = {key: value for key, value in call.items() if wire.goes_with(TOOLS[name].args, key, call)}
            asked += [usable] if usable not in asked else []
    return iter(asked)


@define
class Surface:
    """What was said, each with the place where it was read."""

    said: list[tuple[str, str]] = field(factory=list)
    answers: list[tuple[str, dict[str, Any]]] = field(factory=list)
    # The same answers as an assistant reads them.
    texts: list[tuple[str, str]] = field(factory=list)
    # Answers of tools to a reader, as the JSON of the record and as its lines.
    pairs: list[tuple[str, dict[str, Any], str]] = field(factory=list)
    stream: bytearray = field(factory=bytearray)

    def told(self, place: str, text: str) -> None:
        self.said.append((place, text))

    def lines(self, place: str, text: str) -> None:
        self.told(f"lines of {place}", text)
        self.texts.append((place, text))

    def answered(self, place: str, body: bytes) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(body)
        self.told(place, body.decode())
        self.answers.append((place, answer))
        return answer


class Reader:
    """Reads a daemon out. Made before anything is planted: its streams tell only of what is new."""

    def __init__(self, watch: Watch, http: Http, directory: Path) -> None:
        self.surface = Surface()
        self._watch = watch
        self._http = http
        self._directory = directory
        self._heard = trio.Event()

    async def hear(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Follow the event stream until cancelled."""
        async with await self._http.connect() as stream:
            head = f"Host: {self._http.authority}\r\nAuthorization: Bearer {self._http.access.token}"
            await stream.send_all(f"GET /events/stream?throttle_seconds=1 HTTP/1.1\r\n{head}\r\n\r\n".encode())
            self.surface.stream += await stream.receive_some(65536)
            task_status.started()
            async for chunk in stream:
                self.surface.stream += chunk
                if b"data:" in self.surface.stream:
                    self._heard.set()

    async def begin(self) -> None:
        """Keep how things are before anything is planted, and switch streaming on."""
        self._watch.context.pilot.switch(on=True, by="start")
        await self._keep("before.json")
        await self._call("configure_streaming", {"enabled": True, "throttle_seconds": 1})

    async def read(self) -> Surface:
        """Ask for everything, and keep what is said."""
        known: dict[str, Any] = {}
        for name in TOOLS:
            for arguments in widest_calls(name):
                fitting = {
                    key: value
                    for key, value in known.items()
                    if key in wire.schema_of(TOOLS[name].args)["properties"] and key not in arguments
                    if wire.goes_with(TOOLS[name].args, key, arguments)
                }
                answer = await self._call(name, {**arguments, **fitting})
                known |= {key: answer[key] for key in ("session_id", "correlation_id") if key in answer}
        await self._requests()
        await self._resources()
        await self._as_lines()
        self.surface.answered("/snapshot", (await self._http.ask("GET", "/snapshot")).body)
        self.surface.answered("/health", (await self._http.ask("GET", "/health")).body)
        for record in itertools.chain(*(ring.newest() for ring in self._watch.telemetry.rings().values())):
            self.surface.told("watch", wire.encode(named_entry(record)).decode())
        await self._files()
        with trio.fail_after(PATIENCE):
            await self._heard.wait()
        self.surface.told("/events/stream", self.surface.stream.decode())
        return self.surface

    async def _call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        place = f"{name} { ({key: value for key, value in arguments.items() if key not in WIDEST}) }"
        first: dict[str, Any] | None = None
        given = arguments
        for _ in range(100):
            answer = self.surface.answered(
                place, (await self._http.ask("POST", f"/tools/{name}", given, headers=CALLER)).body
            )
            first = first or answer
            if not answer.get("cursor"):
                break
            given = {**arguments, "cursor": answer["cursor"]}
        assert first is not None
        return first

    async def _as_lines(self) -> None:
        """All tools once more, as over MCP."""
        context = evolve(self._watch.context, form="lines")
        for name in TOOLS:
            for arguments in widest_calls(name):
                answer = await call_tool(TOOLS, context, name, arguments)
                place = f"{name} { ({key: arguments[key] for key in arguments if key not in WIDEST}) }"
                self.surface.lines(place, answer.text)
                if not answer.is_error:
                    self.surface.pairs.append((place, answer.data, answer.text))
        for uri in resources.RESOURCES:
            content = (await resources.read(context, uri))["contents"][0]
            self.surface.lines(uri, content["text"])
        for record in list(self._watch.telemetry.network.newest())[:_REQUESTS_AS_LINES]:
            for tool, more in (("observe", {"what": "network"}), ("get_network_bodies", {"full_body": True})):
                answer = await call_tool(TOOLS, context, tool, {"request_id": record.id, **more})
                self.surface.lines(f"{tool} {record.id}", answer.text)

    async def _requests(self) -> None:
        for record in list(self._watch.telemetry.network.newest()):
            await self._call("observe", {"what": "network", "request_id": record.id})
            await self._call("get_network_bodies", {"request_id": record.id, "full_body": True})
            for side in ("request", "response"):
                await self._resource(f"gasoline://network/{record.id}/{side}-body")

    async def _resources(self) -> None:
        for uri in resources.RESOURCES:
            await self._resource(uri)

    async def _resource(self, uri: str) -> None:
        try:
            content = await resources.read(self._watch.context, uri)
        except GasolineError as error:
            self.surface.told(uri, error.message)
        else:
            self.surface.told(uri, json.dumps(content, ensure_ascii=False))

    async def _keep(self, name: str) -> None:
        moment = await capture_snapshot(self._watch.context, TimeSpan(), SNAPSHOT_CHECKS, tuple(SNAPSHOT_CHECKS))
        write_snapshot(self._directory / name, wire.dump(moment))

    async def _files(self) -> None:
        await self._keep("after.json")
        before, after, page = (self._directory / name for name in ("before.json", "after.json", "diff.html"))
        run_diff(before, after, html=page, as_json=False, fail_on=None)
        run_diff(before, after, html=None, as_json=True, fail_on=None)
        files = [path for path in self._directory.rglob("*") if path.is_file()]
        assert {path.name for path in files} >= {"before.json", "after.json", "diff.html", "api.json"}
        for path in files:
            self.surface.told(path.name, path.read_text(encoding="utf-8"))


@asynccontextmanager
async def open_reader(watch: Watch, directory: Path) -> AsyncIterator[Reader]:
    """A reader of a daemon's own HTTP, with its streams open."""
    async with open_http(watch.context) as http, trio.open_nursery() as nursery:
        reader = Reader(watch, http, directory)
        await nursery.start(reader.hear)
        await reader.begin()
        yield reader
        nursery.cancel_scope.cancel()
