"""A listening socket on this machine, opened before heavy imports, so that a taken port is reported at once."""

import errno
import socket
import sys

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits as frontend_limits

HOST = "127.0.0.1"


def listen(port: int) -> socket.socket:
    """A socket that listens on this machine only. Raises GasolineError if the port is not available."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            # Allows to reuse the port at once. On Windows the option would share a taken port.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(frontend_limits.HTTP_CONNECTIONS)
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
