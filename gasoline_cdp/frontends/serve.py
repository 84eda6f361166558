"""The long-running commands: a daemon for this user, or a server for one client on standard input and output."""

import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import trio

from gasoline_cdp.config import Config
from gasoline_cdp.daemon import Daemon, open_daemon
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.client_options import ClientOptions
from gasoline_cdp.frontends.http.access import Access
from gasoline_cdp.frontends.http.serving import Port, open_port, publish_port, serve_http
from gasoline_cdp.frontends.local.background import Background
from gasoline_cdp.frontends.local.client_registry import ClientRegistry
from gasoline_cdp.frontends.local.runtime import only_daemon
from gasoline_cdp.frontends.local.socket import open_listener, serve_socket
from gasoline_cdp.frontends.local.stdio import open_stdio
from gasoline_cdp.frontends.mcp.server import McpFrontend
from gasoline_cdp.nurseries import open_hidden_nursery

Say = Callable[[str], None]

_CLOSED_FOR_PERSON = (
    "What was captured can still be read until Ctrl-C or `gasoline-cdp stop`, or until nobody has asked for "
    f"{frontend_limits.IDLE_SECONDS / 60:.0f} minutes. To go on, end this one and start it again."
)
_CLOSED_FOR_EDITORS = (
    f"What was captured can be read for {frontend_limits.CLOSED_SECONDS / 60:.0f} more minutes; "
    "after that, the next call starts a new browser."
)
_CLOSED_FOR_CLIENT = "What was captured can be read until this server ends. Restart it to have a browser again."


async def serve_daemon(
    config: Config, say: Say, background: Background | None = None, idle_seconds: float = frontend_limits.IDLE_SECONDS
) -> None:
    """Run this user's daemon until it is stopped, or until it is idle after its browser was closed.

    A daemon for editors also ends when no editor has been connected for a while.
    """
    with only_daemon() as directory, open_port(config.serve.port, no_token=config.serve.no_token) as port:
        async with open_daemon(config, say) as daemon, trio.open_nursery() as nursery:
            mcp = McpFrontend(daemon.context)
            clients = ClientRegistry(
                config=config,
                pid=os.getpid(),
                for_editors=background is not None,
                open_page=lambda url: nursery.start_soon(daemon.open_page, url),
            )
            await nursery.start(serve_socket, open_listener(directory), daemon.context, clients, mcp)
            nursery.start_soon(serve_http, port, daemon, mcp, clients.present)

            async def end_when_asked() -> None:
                await clients.leave.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(end_when_asked)
            if background is not None:
                daemon.when_closed = _CLOSED_FOR_EDITORS
                background.listening()
                await _serve_editors(daemon, clients, idle_seconds)
            else:
                daemon.when_closed = _CLOSED_FOR_PERSON
                await _serve_person(daemon, port, say)
                # What was captured stays readable after the window was closed.
                await clients.wait_idle(idle_seconds)
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def open_served_daemon(config: Config, say: Say) -> AsyncIterator[tuple[Daemon, Access]]:
    """A daemon for one command, while the block lasts. Its browser runs, and its addresses answer."""
    with only_daemon() as directory, open_port(config.serve.port, no_token=config.serve.no_token) as port:
        async with open_daemon(config, say) as daemon, open_hidden_nursery() as nursery:
            mcp = McpFrontend(daemon.context)
            clients = ClientRegistry(
                config=config,
                pid=os.getpid(),
                for_editors=False,
                open_page=lambda url: nursery.start_soon(daemon.open_page, url),
            )
            await nursery.start(serve_socket, open_listener(directory), daemon.context, clients, mcp)
            nursery.start_soon(serve_http, port, daemon, mcp)
            await daemon.ready.wait()
            if daemon.failed is not None:
                raise daemon.failed
            yield daemon, port.access
            nursery.cancel_scope.cancel()


async def _serve_person(daemon: Daemon, port: Port, say: Say) -> None:
    """Serve until the browser has ended. If the browser failed, so does the command."""
    await daemon.ready.wait()
    if daemon.failed is not None:
        raise daemon.failed
    if not daemon.over.is_set():
        for words in port.words:
            say(words)
        say(f"Watching {daemon.browser.version}. See it live: gasoline-cdp watch. End it: Ctrl-C.")
    await daemon.over.wait()
    if daemon.failed is not None:
        raise daemon.failed


async def _serve_editors(daemon: Daemon, clients: ClientRegistry, idle_seconds: float) -> None:
    """Serve until no client has been connected for a while, or until clients could read why there is no browser."""
    async with open_hidden_nursery() as nursery:

        async def end_after_browser() -> None:
            await daemon.over.wait()
            await trio.sleep(
                frontend_limits.FAILED_SECONDS if daemon.browser.failure else frontend_limits.CLOSED_SECONDS
            )
            nursery.cancel_scope.cancel()

        nursery.start_soon(end_after_browser)
        await clients.wait_idle(idle_seconds)
        nursery.cancel_scope.cancel()


async def serve_alone(
    config: Config,
    say: Say,
    receive: trio.abc.ReceiveStream,
    send: trio.abc.SendStream,
    options: ClientOptions,
    *,
    greeted: bool,
    listener: socket.socket | None = None,
) -> None:
    """`mcp --standalone`: one client, and a browser in this process. Ends when the client disconnects.

    HTTP is served only with a `listener`: this may run beside the daemon of the same user, and serves one client.
    """
    async with AsyncExitStack() as stack:
        port = None
        if listener is not None:
            name = f"http-{os.getpid()}.json"
            port = stack.enter_context(publish_port(listener, no_token=config.serve.no_token, file_name=name))
        daemon = await stack.enter_async_context(open_daemon(config, say))
        daemon.when_closed = _CLOSED_FOR_CLIENT
        nursery = await stack.enter_async_context(trio.open_nursery())
        mcp = McpFrontend(daemon.context)
        if port is not None:
            for words in port.words:
                say(words)
            nursery.start_soon(serve_http, port, daemon, mcp)

        async def say_if_failed() -> None:
            # The client reads it in every answer; this is for the editor's log.
            await daemon.over.wait()
            if daemon.failed is not None:
                say(daemon.failed.message)

        nursery.start_soon(say_if_failed)
        await mcp.serve(receive, send, options, greeted=greeted)
        nursery.cancel_scope.cancel()


async def serve_refusal(error: GasolineError, options: ClientOptions) -> None:
    """`mcp` without a daemon: answer the handshake and list the tools. Each call returns the reason."""
    daemon = Daemon(Config(), lambda _: None)
    daemon.refuse(error)
    async with open_stdio() as (receive, send):
        await McpFrontend(daemon.context).serve(receive, send, options)
