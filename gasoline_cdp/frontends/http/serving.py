"""Starts HTTP beside the daemon: opens the port at once, and starts the server once the browser runs."""

import importlib
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import trio
from attrs import frozen

from gasoline_cdp.daemon import Daemon
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.freed_memory import settle_memory
from gasoline_cdp.frontends.http.access import FILE, Access, make_access, published
from gasoline_cdp.frontends.http.listening import listen
from gasoline_cdp.nurseries import open_hidden_nursery

if TYPE_CHECKING:
    from gasoline_cdp.frontends.mcp.server import McpFrontend

Presence = Callable[[], AbstractContextManager[None]]

_WARNING = (
    "WARNING: --no-token: every program on this machine can read all that is captured and call every tool. "
    "For a container that nobody else uses."
)


@frozen
class Port:
    """An open port with its secrets. A client that connects before the server has started waits for it."""

    listener: socket.socket
    access: Access
    # Messages for a person, printed once the browser runs.
    words: tuple[str, ...]


@contextmanager
def open_port(port: int | None, *, no_token: bool) -> Iterator[Port]:
    """Listen, and publish the address. A port that a person named must be free; otherwise any free port will do."""
    try:
        listener = listen(frontend_limits.HTTP_PORT if port is None else port)
    except GasolineError:
        if port is not None:
            raise
        listener = listen(0)
    with listener, publish_port(listener, no_token=no_token, may_move=port is None) as opened:
        yield opened


@contextmanager
def publish_port(
    listener: socket.socket, *, no_token: bool, file_name: str = FILE, may_move: bool = False
) -> Iterator[Port]:
    """Generate the secrets for an open port, and publish both while the block lasts."""
    access = make_access(listener.getsockname()[1], no_token=no_token)
    with published(access, file_name) as file:
        yield Port(listener, access, _words(access, file, moved=may_move and access.port != frontend_limits.HTTP_PORT))


def _words(access: Access, file: Path, *, moved: bool) -> tuple[str, ...]:
    taken = f" ({frontend_limits.HTTP_PORT} is taken by another program)" if moved else ""
    if access.token is not None:
        return (f"HTTP: {access.url}{taken}; its token is in {file}.",)
    return (
        f"HTTP: {access.url}{taken}.",
        _WARNING,
    )


async def serve_http(port: Port, daemon: Daemon, mcp: "McpFrontend", present: Presence = nullcontext) -> None:
    """Serve until cancelled. Imports the server late and in a thread, so that the browser starts sooner.

    `present` is held around each request: a daemon with requests is not idle.
    """
    await daemon.ready.wait()
    await trio.to_thread.run_sync(_import_server)
    from gasoline_cdp.frontends.http.app import HttpFrontend, refusals  # noqa: PLC0415 - see above
    from gasoline_cdp.frontends.http.loopback import serve_listener  # noqa: PLC0415 - as above

    async with open_hidden_nursery() as nursery:
        frontend = HttpFrontend(daemon.context, mcp, port.access, nursery)

        async def attended(scope: Any, receive: Any, send: Any) -> None:
            with present():
                await frontend.gate(scope, receive, send)

        async with serve_listener(attended, port.listener, refusals()):
            await trio.sleep_forever()


def _import_server() -> None:
    importlib.import_module("gasoline_cdp.frontends.http.app")
    settle_memory()
