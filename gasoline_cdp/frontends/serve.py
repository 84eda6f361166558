"""The long-running commands: a daemon for this user, or one client on standard input and output."""

import os
import signal
from collections.abc import Awaitable, Callable

import trio

from gasoline_cdp import limits
from gasoline_cdp.daemon import Config, Daemon, open_daemon
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.background import Background
from gasoline_cdp.frontends.mcp import McpFrontend
from gasoline_cdp.frontends.reception import Reception
from gasoline_cdp.frontends.runtime import only_daemon
from gasoline_cdp.frontends.socket import open_listener, serve_socket
from gasoline_cdp.frontends.stdio import open_stdio
from gasoline_cdp.nurseries import lone_exception, open_hidden_nursery

Say = Callable[[str], None]


def run_until_signal(work: Callable[..., Awaitable[None]], *arguments: object) -> int:
    """Run until the work ends or a signal asks it to; closing the browser is the context managers' business."""
    signals = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP"):
        signals.append(signal.SIGHUP)

    async def supervise() -> None:
        with trio.open_signal_receiver(*signals) as received:
            async with trio.open_nursery() as nursery:

                async def finish() -> None:
                    await work(*arguments)
                    nursery.cancel_scope.cancel()

                nursery.start_soon(finish)
                async for _ in received:
                    nursery.cancel_scope.cancel()
                    break

    try:
        trio.run(supervise)
    except BaseExceptionGroup as group:
        raise lone_exception(group) from None
    return 0


async def serve_daemon(
    config: Config, say: Say, background: Background | None = None, idle_seconds: float = limits.IDLE_SECONDS
) -> None:
    """Be the daemon of this user: until its browser is closed (`launch`, `attach`), or until no editor needs it."""
    with only_daemon() as directory:
        async with open_daemon(config, say) as daemon, trio.open_nursery() as nursery:
            reception = Reception(
                config=config,
                pid=os.getpid(),
                for_editors=background is not None,
                open_page=lambda url: nursery.start_soon(daemon.open_page, url),
            )
            await nursery.start(serve_socket, open_listener(directory), daemon.context, reception)

            async def end_when_asked() -> None:
                await reception.leave.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(end_when_asked)
            if background is not None:
                background.listening()
                await _serve_editors(daemon, reception, idle_seconds)
            else:
                await _serve_person(daemon, say)
            nursery.cancel_scope.cancel()


async def _serve_person(daemon: Daemon, say: Say) -> None:
    """Until the browser has ended; its failure is the command's."""
    await daemon.ready.wait()
    if daemon.failed is not None:
        raise daemon.failed
    if not daemon.over.is_set():
        say(f"Watching {daemon.browser.version}. See it live: gasoline-cdp watch. End it: Ctrl-C.")
    await daemon.over.wait()
    if daemon.failed is not None:
        raise daemon.failed


async def _serve_editors(daemon: Daemon, reception: Reception, idle_seconds: float) -> None:
    """Until nobody has been here for a while; or until those who are here could read why there is no browser."""
    async with open_hidden_nursery() as nursery:

        async def end_after_browser() -> None:
            await daemon.over.wait()
            await trio.sleep(limits.FAILED_SECONDS if daemon.browser.failure else limits.CLOSED_SECONDS)
            nursery.cancel_scope.cancel()

        nursery.start_soon(end_after_browser)
        await reception.wait_idle(idle_seconds)
        nursery.cancel_scope.cancel()


async def serve_stdio(config: Config, say: Say) -> None:
    """`mcp`: one client on standard input and output, and a browser in this process. Ends when the client goes."""
    async with (
        open_stdio() as (receive, send),
        open_daemon(config, say) as daemon,
        trio.open_nursery() as nursery,
    ):

        async def say_if_failed() -> None:
            # The client hears it in every answer; this is for the editor's log.
            await daemon.over.wait()
            if daemon.failed is not None:
                say(daemon.failed.message)

        nursery.start_soon(say_if_failed)
        await McpFrontend(daemon.context).serve(receive, send)
        nursery.cancel_scope.cancel()


async def serve_refusal(error: GasolineError) -> None:
    """`mcp`, where no daemon could be had: the client is greeted and told the tools, and each call says why."""
    daemon = Daemon(Config(), lambda _: None)
    daemon.refuse(error)
    async with open_stdio() as (receive, send):
        await McpFrontend(daemon.context).serve(receive, send)
