"""`mcp --standalone`: one client on standard input and output. Greets it while the rest is being imported.

An editor waits for the answers to `initialize` and tools/list before it shows anything. Our own modules take half a
second to import, and these answers need none of them.
"""

import argparse
import importlib
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack

import trio

from gasoline_cdp.frontends.client_options import DEFAULTS, ClientOptions, client_options_of
from gasoline_cdp.frontends.http.listening import listen
from gasoline_cdp.frontends.local.stdio import open_stdio
from gasoline_cdp.frontends.mcp.greeting import early_answer, early_stateless
from gasoline_cdp.frontends.options import config_of
from gasoline_cdp.nurseries import open_hidden_nursery

# The first requests of a real client are shorter. What is longer is left to the server, which limits it.
_GREETING_BYTES = 65536
_REST = "gasoline_cdp.frontends.serve"


async def serve_stdio(options: argparse.Namespace, say: Callable[[str], None]) -> None:
    """Greet the client, import the rest, and serve until the client disconnects."""
    async with AsyncExitStack() as stack:
        # Fail on a taken port before anything is sent.
        listener = stack.enter_context(listen(options.port)) if options.port is not None else None
        receive, send = await stack.enter_async_context(open_stdio())
        own = client_options_of(options)
        opening = Opening(receive, own)
        # On Windows a read cannot be cancelled.
        if sys.platform != "win32":
            async with open_hidden_nursery() as nursery:
                nursery.start_soon(opening.greet, send)
                await trio.to_thread.run_sync(importlib.import_module, _REST)
                nursery.cancel_scope.cancel()
        from gasoline_cdp.frontends.serve import serve_alone  # noqa: PLC0415 - see above

        await serve_alone(config_of(options), say, opening, send, own, greeted=opening.greeted, listener=listener)


class Opening(trio.abc.ReceiveStream):
    """A client's stream. What was read early and not answered, or is needed for the handshake, is read again."""

    def __init__(self, receive: trio.abc.ReceiveStream, options: ClientOptions = DEFAULTS) -> None:
        self.greeted = False
        self._options = options
        self._receive = receive
        self._held = b""

    async def greet(self, send: trio.abc.SendStream) -> None:
        """Answer `initialize` if it is the client's first message, and lists of tools. May be cancelled at any time."""
        try:
            first = True
            begin = 0
            while len(self._held) < _GREETING_BYTES:
                end = self._held.find(b"\n", begin) + 1
                if not end:
                    chunk = await self._receive.receive_some(_GREETING_BYTES)
                    if not chunk:
                        return
                    self._held += chunk
                    continue
                line = self._held[begin:end]
                if first and (early := early_answer(line, self._options)):
                    self.greeted = True
                    await self._send_whole(send, early[1])
                elif answer := early_stateless(line, self._options):
                    self._held = self._held[:begin] + self._held[end:]
                    end = begin
                    await self._send_whole(send, answer)
                begin, first = end, False
        except trio.BrokenResourceError:
            # The client is gone; the server will notice.
            return

    async def _send_whole(self, send: trio.abc.SendStream, line: bytes) -> None:
        with trio.CancelScope(shield=True):
            # Never send half an answer.
            await send.send_all(line + b"\n")

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """What was read early, then the rest."""
        if self._held:
            held, self._held = self._held, b""
            return held
        return bytes(await self._receive.receive_some(max_bytes))

    async def aclose(self) -> None:
        """Close the underlying stream."""
        await self._receive.aclose()
