"""A client that has much under way is still read: it can cancel, ping and be told, and its flood stays its own."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import pytest
import trio

from gasoline_cdp import wire
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.tools.registry import TOOLS
from tests.connected import open_socket
from tests.editor import Editor, open_editor
from tests.fakes import make_context
from tests.processes import call
from tests.support import PATIENCE

pytestmark = pytest.mark.requirement("S27", "S29", "F3-MCP")


@attrs.frozen(kw_only=True)
class Args:
    name: str = wire.arg("which")


@attrs.frozen(kw_only=True)
class Held:
    name: str = wire.arg("which")


class Work:
    """A tool whose calls end when the test says so."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self._may_end: dict[str, trio.Event] = {}
        self._changed = trio.Event()

    async def run(self, args: Args, _context: Context) -> Held:
        self.begun.append(args.name)
        self._stir()
        try:
            await self._event(args.name).wait()
        finally:
            self.ended.append(args.name)
            self._stir()
        return Held(name=args.name)

    def finish(self, *names: str) -> None:
        for name in names:
            self._event(name).set()

    async def until(self, condition: Any) -> None:
        with trio.fail_after(PATIENCE):
            while not condition():
                await self._changed.wait()

    def _event(self, name: str) -> trio.Event:
        return self._may_end.setdefault(name, trio.Event())

    def _stir(self) -> None:
        self._changed.set()
        self._changed = trio.Event()


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    work = Work()
    tool = Tool(
        name="hold", title="H", description="H.", args=Args, answer=Held, run=work.run, needs=Needs(deadline=PATIENCE)
    )
    monkeypatch.setitem(TOOLS, "hold", tool)
    return work


@asynccontextmanager
async def _editors(directory: Path, number: int) -> AsyncIterator[list[Editor]]:
    """Editors that have greeted one daemon, each through its bridge."""
    async with open_socket(make_context(), directory):
        environment = {"GASOLINE_RUNTIME_DIR": str(directory)}
        async with open_editor(environment=environment) as one, open_editor(environment=environment) as other:
            editors = [one, other][:number]
            for editor in editors:
                await editor.greet()
            yield editors


async def _cancel(editor: Editor, number: Any) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
    await editor.write(json.dumps(message).encode() + b"\n")


async def _hold(editor: Editor, names: list[str]) -> dict[str, int]:
    return {name: await editor.begin_call("hold", name=name) for name in names}


FULL = [f"under way {number}" for number in range(frontend_limits.CLIENT_REQUESTS)]


async def test_a_cancellation_is_read_however_much_is_under_way(work: Work, tmp_path: Path) -> None:
    async with _editors(tmp_path / "run", 1) as (editor,):
        numbers = await _hold(editor, FULL)
        numbers |= await _hold(editor, ["next", "given up", "last"])
        await work.until(lambda: len(work.begun) == len(FULL))
        # One that waits is forgotten: it never begins.
        await _cancel(editor, numbers["given up"])
        # One that is under way ends, and makes room; its id may be written as text.
        await _cancel(editor, str(numbers[FULL[3]]))
        await work.until(lambda: work.ended == [FULL[3]] and "next" in work.begun)
        work.finish(*FULL, "next", "last")
        for name in ("next", "last", FULL[0]):
            answer = (await editor.answer(numbers[name]))["result"]["structuredContent"]
            assert answer == {"name": name}
        assert "given up" not in work.begun
        # Neither of the two was answered.
        answered = {json.loads(line).get("id") for line in editor.lines}
        assert not answered & {numbers["given up"], numbers[FULL[3]]}


async def test_a_ping_is_answered_however_much_is_under_way(work: Work, tmp_path: Path) -> None:
    async with _editors(tmp_path / "run", 1) as (editor,):
        await _hold(editor, [*FULL, "next"])
        await work.until(lambda: len(work.begun) == len(FULL))
        assert (await editor.ask("ping"))["result"] == {}
        assert sorted(work.begun) == sorted(FULL)


async def test_what_may_not_even_wait_is_refused_at_once(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontend_limits, "CLIENT_WAITING_BYTES", 1000)
    async with _editors(tmp_path / "run", 2) as (editor, neighbour):
        await _hold(editor, FULL)
        await work.until(lambda: len(work.begun) == len(FULL))
        waits = (await _hold(editor, ["waits"]))["waits"]
        refused = (await _hold(editor, ["x" * 2000]))["x" * 2000]
        answer = (await editor.answer(refused))["error"]
        assert answer["code"] == -32000
        assert "16 requests" in answer["message"]
        assert "cancel what is no longer needed, and send this one again" in answer["message"]
        # Nobody else notices.
        work.finish("neighbour")
        assert await neighbour.call("hold", name="neighbour") == {"name": "neighbour"}
        work.finish(*FULL, "waits")
        assert (await editor.answer(waits))["result"]["structuredContent"] == {"name": "waits"}
        work.finish("again")
        assert await editor.call("hold", name="again") == {"name": "again"}


async def test_an_id_that_is_used_twice_counts_twice(work: Work, tmp_path: Path) -> None:
    async with _editors(tmp_path / "run", 1) as (editor,):
        params = {"name": "hold", "arguments": {"name": "same"}}
        message = {"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": params}
        await editor.write((json.dumps(message).encode() + b"\n") * 3 * frontend_limits.CLIENT_REQUESTS)
        await work.until(lambda: len(work.begun) == frontend_limits.CLIENT_REQUESTS)
        await editor.ask("ping")
        assert len(work.begun) == frontend_limits.CLIENT_REQUESTS


async def test_requests_that_make_no_sense_take_no_place(work: Work, tmp_path: Path) -> None:
    async with _editors(tmp_path / "run", 1) as (editor,):
        for number in range(1000, 1040):
            await editor.write(b'{"id":%d,"method":"tools/call"}\n{"jsonrpc":"2.0","id":[1],"method":"x"}\n' % number)
        assert "error" in await editor.answer(1039)
        work.finish("one")
        assert await editor.call("hold", name="one") == {"name": "one"}


async def test_streams_that_a_client_listens_on_are_bounded(tmp_path: Path) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "e", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    wanted = {"notifications": {"resourceSubscriptions": ["gasoline://logs"]}, "_meta": meta}
    directory = tmp_path / "run"
    environment = {"GASOLINE_RUNTIME_DIR": str(directory)}
    async with open_socket(make_context(), directory), open_editor(environment=environment) as editor:
        await editor.ask("server/discover", {"_meta": meta})
        first, *_ = [
            await editor.request("subscriptions/listen", wanted) for _ in range(frontend_limits.CLIENT_REQUESTS)
        ]
        refused = await editor.ask("subscriptions/listen", wanted)
        assert "listens on 16 streams already" in refused["error"]["message"]
        await _cancel(editor, first)
        again = await editor.request("subscriptions/listen", wanted)
        await editor.ask("ping", {"_meta": meta})
        await _told(editor, b"subscriptions/acknowledged", frontend_limits.CLIENT_REQUESTS + 1)
        assert again not in [json.loads(line).get("id") for line in editor.lines]


async def _told(editor: Editor, words: bytes, times: int) -> None:
    """Ask until something has been said so often."""
    while sum(words in line for line in editor.lines) < times:
        await editor.ask("no/such")


@pytest.mark.requirement("S28")
async def test_an_integer_of_any_size_is_an_id(work: Work, tmp_path: Path) -> None:
    huge = 10**40
    work.finish("one")
    async with _editors(tmp_path / "run", 2) as (editor, neighbour):
        params = {"name": "hold", "arguments": {"name": "one"}}
        for number, method in ((huge, "ping"), (huge + 1, "tools/call"), (-huge, "no/such")):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            await editor.write(json.dumps(message).encode() + b"\n")
        assert (await editor.answer(huge))["result"] == {}
        assert (await editor.answer(huge + 1))["result"]["structuredContent"] == {"name": "one"}
        assert (await editor.answer(-huge))["error"]["code"] == -32601
        assert await neighbour.call("hold", name="one") == {"name": "one"}


@pytest.mark.requirement("S28", "F3-BRIDGE")
async def test_a_cancellation_that_makes_no_sense_is_nobody_s_end(work: Work, tmp_path: Path) -> None:
    work.finish("one")
    async with _editors(tmp_path / "run", 1) as (editor,):
        for params in (b"[1]", b"null", b'{"requestId":[1]}', b'{"requestId":{}}', b'"x"', b"5"):
            await editor.write(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":' + params + b"}\n")
        assert await editor.call("hold", name="one") == {"name": "one"}


async def test_what_nobody_foresaw_ends_one_connection_only(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.finish("one")

    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("gasoline_cdp.frontends.local.socket._call", fail)
    directory = tmp_path / "run"
    monkeypatch.setenv("GASOLINE_RUNTIME_DIR", str(directory))
    async with open_socket(make_context(strict=False), directory), open_editor() as editor:
        await editor.greet()
        with pytest.raises(GasolineError, match="went away before it answered"):
            await call("observe", what="status")
        assert await editor.call("hold", name="one") == {"name": "one"}
