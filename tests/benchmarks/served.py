"""A daemon without a browser of its own, in a process of its own: prints the address and secrets of its HTTP server.

Ends when its standard input does.
"""

import json
import sys

import trio

from gasoline_cdp.browser.no_browser import NoBrowser
from gasoline_cdp.config import Config, ServeOptions
from gasoline_cdp.daemon import open_daemon
from gasoline_cdp.frontends.http.serving import open_port, serve_http
from gasoline_cdp.frontends.mcp.server import McpFrontend


async def main() -> None:
    """Serve as `gasoline-cdp` does, on any free port."""
    config = Config(browser=NoBrowser(), serve=ServeOptions(port=0))
    with open_port(0, no_token=False) as port:
        async with open_daemon(config, lambda _: None) as daemon, trio.open_nursery() as nursery:
            # As in `ci`, in a project without budgets.
            daemon.context.telemetry.run.lasting = True
            daemon.context.telemetry.run.keeps_loads = False
            nursery.start_soon(serve_http, port, daemon, McpFrontend(daemon.context))
            sys.stdout.write(json.dumps({"url": port.access.url, **port.access._asdict()}) + "\n")
            sys.stdout.flush()
            await trio.to_thread.run_sync(sys.stdin.read, abandon_on_cancel=True)
            nursery.cancel_scope.cancel()


if __name__ == "__main__":
    trio.run(main)
