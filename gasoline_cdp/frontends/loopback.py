"""Serves an ASGI application on this machine only, with hypercorn's trio worker."""

import errno
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import trio
from hypercorn.config import Config, Sockets
from hypercorn.trio.run import worker_serve
from hypercorn.typing import ASGIFramework
from hypercorn.utils import wrap_app
from starlette.applications import Starlette

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.nurseries import open_hidden_nursery

HOST = "127.0.0.1"


@asynccontextmanager
async def serve_app(app: Starlette, port: int = 0) -> AsyncIterator[str]:
    """Yield the application's address once it accepts; leaving the block ends every connection.

    Port 0 takes a free one. Raises GasolineError when the port cannot be had.
    """
    config = Config()
    config.accesslog = None
    config.errorlog = None
    wrapped = wrap_app(cast("ASGIFramework", app), config.wsgi_max_body_size, "asgi")
    with _listen(port) as listener:
        # Hypercorn is given the socket, so that a taken port is our error and port 0 has a number.
        sockets = Sockets(secure_sockets=[], insecure_sockets=[listener], quic_sockets=[])

        async def serve(task_status: trio.TaskStatus[list[str]]) -> None:
            await worker_serve(wrapped, config, sockets=sockets, task_status=task_status)

        async with open_hidden_nursery() as nursery:
            await nursery.start(serve)
            yield f"http://{HOST}:{listener.getsockname()[1]}/"
            nursery.cancel_scope.cancel()


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            # Lets the same port be used again at once; on Windows the option would share a taken port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()
        listener.setblocking(False)
    except (OSError, OverflowError) as error:
        listener.close()
        taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
        reason = "another program is using it" if taken else str(error)
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"Cannot listen on port {port}: {reason}. Choose another port, or 0 for any free one.",
            problems=[f"port: {reason}"],
        ) from error
    return listener
