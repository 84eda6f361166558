"""Whom the library speaks for: it makes new objects for each request, but keeps the task."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from gasoline_cdp.operations.client import Client

# The client whose messages a task handles.
caller: ContextVar[Client] = ContextVar("client")


@contextmanager
def speaking_for(client: Client) -> Iterator[None]:
    """What the library does in this block, it does for this client."""
    before = caller.set(client)
    try:
        yield
    finally:
        caller.reset(before)
