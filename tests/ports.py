"""Ports for programs that must be told theirs before they listen."""

import os
import socket
from itertools import count

# Below those that systems hand out to whoever asks for any (Linux from 32768, others from 49152): there a port that was
# let go a moment ago may be another test's already. Each process begins elsewhere.
_FIRST, _LAST = 15000, 32000
_numbers = count(os.getpid() * 37)


def free_port() -> int:
    """A port that nobody listens on, and that nobody is given by chance; another one each time."""
    while True:
        port = _FIRST + next(_numbers) % (_LAST - _FIRST)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
