"""A request that the gate has let pass, and the answer to it.

A web framework would bring asyncio with it: 7 MB, for a daemon that has 40.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from attrs import field, frozen

from gasoline_cdp.frontends.http.gate import PARSED, Scope

_NO_CONTENT = 204


@frozen
class HttpRequest:
    """A request, from the scope that ASGI passes on."""

    scope: Scope

    @property
    def method(self) -> str:
        """Its method. HEAD has its own."""
        return str(self.scope["method"])

    @property
    def path(self) -> str:
        """Its path."""
        return str(self.scope["path"])

    @property
    def name(self) -> str:
        """The last part of the path, for paths that end in a name."""
        return self.path.rpartition("/")[2]

    @property
    def parsed(self) -> Any:
        """The body, which the gate has parsed. None if there was none."""
        return self.scope.get(PARSED)

    @property
    def query(self) -> dict[str, str]:
        """The query. Of a name that stands there twice, the last one counts."""
        return query_of(self.scope)

    def header(self, name: str) -> str | None:
        """A header, if it is there."""
        wanted = name.encode()
        return next((value.decode("latin-1") for key, value in self.scope["headers"] if key.lower() == wanted), None)


def query_of(scope: Scope) -> dict[str, str]:
    """The query of a request."""
    return dict(parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True))


@frozen
class HttpResponse:
    """A complete answer."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(factory=dict)
    media_type: str = "application/json"

    async def send(self, send: Any) -> None:
        """Send it on the ASGI channel."""
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in self.headers.items()]
        if self.status != _NO_CONTENT:
            media_type = f"{self.media_type}; charset=utf-8" if self.media_type.startswith("text/") else self.media_type
            headers.append((b"content-length", b"%d" % len(self.body)))
            headers.append((b"content-type", media_type.encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})
