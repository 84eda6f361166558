"""A real client of the MCP library, its bridge process, and a daemon's socket in this process, on a real browser."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from gasoline_cdp.config import Config
from gasoline_cdp.frontends.local.client_registry import ClientRegistry
from gasoline_cdp.frontends.local.socket import open_listener, serve_socket
from gasoline_cdp.frontends.mcp.server import McpFrontend
from gasoline_cdp.operations.context import Context
from tests.processes import AS_PROGRAM, COMMAND

ERAS = ["legacy", "2026-07-28"]

Connect = Callable[..., Any]


@asynccontextmanager
async def open_socket(context: Context, directory: Path) -> AsyncIterator[Connect]:
    """Serve a daemon's context; yields what connects a client to it, in an era, by the bridge that editors start."""
    directory.mkdir(mode=0o700)
    environment = {"GASOLINE_RUNTIME_DIR": str(directory)}

    def connect(era: str, *arguments: str, **options: Any) -> Client:
        form = [] if "--answers" in arguments else AS_PROGRAM
        parameters = StdioServerParameters(
            command=COMMAND[0], args=[*COMMAND[1:], "mcp", *form, *arguments], env=environment
        )
        return Client(stdio_client(parameters), mode=era, **options)

    async with trio.open_nursery() as nursery:
        registry = ClientRegistry(config=Config(), pid=os.getpid(), for_editors=False, open_page=lambda _: None)
        await nursery.start(serve_socket, open_listener(directory), context, registry, McpFrontend(context))
        yield connect
        nursery.cancel_scope.cancel()
