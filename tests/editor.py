"""An editor's side of `gasoline-cdp mcp`: lines of JSON-RPC over pipes, written by hand."""

import fcntl
import json
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import trio

from tests.processes import AS_PROGRAM, COMMAND, HEADLESS, Running, state_of, until
from tests.support import PATIENCE

INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


class Editor:
    """One MCP session. Every line the server has said is kept, to see that it said nothing else."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self.lines: list[bytes] = []
        self._ids = count(1)
        self._rest = b""
        self._answers: dict[Any, dict[str, Any]] = {}

    @property
    def pid(self) -> int:
        return self.running.process.pid

    async def write(self, data: bytes) -> None:
        assert self.running.process.stdin is not None
        await self.running.process.stdin.send_all(data)

    async def request(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request; its id."""
        number = next(self._ids)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
        await self.write(json.dumps(message).encode() + b"\n")
        return number

    async def answer(self, number: Any) -> dict[str, Any]:
        """The answer to a request, whatever else comes before it."""
        assert self.running.process.stdout is not None
        with trio.fail_after(PATIENCE):
            while number not in self._answers:
                chunk = await self.running.process.stdout.receive_some()
                assert chunk, f"it ended: {self.running.stderr}"
                *lines, self._rest = (self._rest + bytes(chunk)).split(b"\n")
                for line in lines:
                    self.lines.append(line)
                    message = json.loads(line)
                    assert message["jsonrpc"] == "2.0"
                    if "id" in message and "method" not in message:
                        # Each message whose id cannot be read has an error with null.
                        assert message["id"] is None or message["id"] not in self._answers, "answered twice"
                        self._answers[message["id"]] = message
        return self._answers[number]

    def forget(self, number: Any) -> None:
        """The same id may be answered again."""
        del self._answers[number]

    async def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return await self.answer(await self.request(method, params))

    async def greet(self) -> dict[str, Any]:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "e", "version": "1"}}
        answer = await self.ask("initialize", hello)
        await self.write(INITIALIZED)
        return answer

    async def begin_call(self, tool: str, **arguments: Any) -> int:
        return await self.request("tools/call", {"name": tool, "arguments": arguments})

    async def passed_on(self) -> None:
        """Wait until the bridge has handed all that was written to it to the daemon: it has read it, and sleeps."""
        pipe = self.running.process.stdin
        assert isinstance(pipe, trio.lowlevel.FdStream)

        async def idle() -> bool:
            unread = int.from_bytes(fcntl.ioctl(pipe.fileno(), termios.FIONREAD, bytes(4)), sys.byteorder)
            return unread == 0 and state_of(self.pid) == "S"

        await until(idle)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's structured answer, errors included."""
        result: dict[str, Any] = (await self.answer(await self.begin_call(tool, **arguments)))["result"]
        answer: dict[str, Any] = result["structuredContent"]
        return answer

    async def leave(self) -> int:
        """Close the pipe, as an editor that ends; the server's exit code."""
        assert self.running.process.stdin is not None
        await self.running.process.stdin.aclose()
        return await self.running.ended()


@asynccontextmanager
async def open_editor(
    *options: str, command: Sequence[str] = COMMAND, environment: dict[str, str] | None = None
) -> AsyncIterator[Editor]:
    """Start `gasoline-cdp mcp OPTIONS`, headless, as an editor does; it is killed at the end."""
    process = await trio.lowlevel.open_process(
        [*command, "mcp", *AS_PROGRAM, *HEADLESS, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    running = Running(process)
    assert process.stderr is not None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(running.collect, "stderr", process.stderr)
        try:
            yield Editor(running)
        finally:
            with trio.CancelScope(shield=True):
                if process.returncode is None:
                    process.kill()
                    await process.wait()
                for stream in (process.stdin, process.stdout, process.stderr):
                    if stream is not None:
                        await stream.aclose()
            nursery.cancel_scope.cancel()
