"""`mcp --standalone`: one client on standard input and output. Answers `initialize` while the rest is being imported.

An editor waits for the answer to `initialize` before it shows anything. Our own modules take a quarter of a second to
import, and the answer needs none of them.
"""

import argparse
import importlib
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack

import trio

from gasoline_cdp.frontends.client_options import client_options_of
from gasoline_cdp.frontends.http.listening import listen
from gasoline_cdp.frontends.local.stdio import open_stdio
from gasoline_cdp.frontends.mcp.greeting import INSTRUCTIONS, early_answer, instructions_for
from gasoline_cdp.frontends.options import config_of
from gasoline_cdp.nurseries import open_hidden_nursery

# A real `initialize` is shorter. A longer one is left to the server, which limits it.
_GREETING_BYTES = 65536
_REST = "gasoline_cdp.frontends.serve"


async def serve_stdio(options: argparse.Namespace, say: Callable[[str], None]) -> None:
    """Answer `initialize`, import the rest, and serve until the client disconnects."""
    async with AsyncExitStack() as stack:
        # Fail on a taken port before anything is sent.
        listener = stack.enter_context(listen(options.port)) if options.port is not None else None
        receive, send = await stack.enter_async_context(open_stdio())
        own = client_options_of(options)
        opening = Opening(receive, instructions_for(own))
        # On Windows a read cannot be cancelled.
        if sys.platform != "win32":
            async with open_hidden_nursery() as nursery:
                nursery.start_soon(opening.greet, send)
                await trio.to_thread.run_sync(importlib.import_module, _REST)
                nursery.cancel_scope.cancel()
        from gasoline_cdp.frontends.serve import serve_alone  # noqa: PLC0415 - see above

        await serve_alone(config_of(options), say, opening, send, own, greeted=opening.greeted, listener=listener)


class Opening(trio.abc.ReceiveStream):
    """A client's stream. What was read early, for the handshake, is read again by the server."""

    def __init__(self, receive: trio.abc.ReceiveStream, instructions: str = INSTRUCTIONS) -> None:
        self.greeted = False
        self._instructions = instructions
        self._receive = receive
        self._held = b""

    async def greet(self, send: trio.abc.SendStream) -> None:
        """Answer `initialize` if it is the client's first message. May be cancelled at any time."""
        try:
            while b"\n" not in self._held and len(self._held) < _GREETING_BYTES:
                chunk = await self._receive.receive_some(_GREETING_BYTES)
                if not chunk:
                    return
                self._held += chunk
            early = early_answer(self._held.partition(b"\n")[0], self._instructions)
            if early is not None:
                self.greeted = True
                with trio.CancelScope(shield=True):
                    # Never send half an answer.
                    await send.send_all(early[1] + b"\n")
        except trio.BrokenResourceError:
            # The client is gone; the server will notice.
            return

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """What was read early, then the rest."""
        if self._held:
            held, self._held = self._held, b""
            return held
        return bytes(await self._receive.receive_some(max_bytes))

    async def aclose(self) -> None:
        """Close the underlying stream."""
        await self._receive.aclose()
