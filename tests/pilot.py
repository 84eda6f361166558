"""What tests of the pilot share: pictures of a page, its badge, and what goes to the browser."""

import itertools
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest
import trio

from gasoline_cdp import wire
from gasoline_cdp.cdp.connection import Connection, Session
from gasoline_cdp.probe.elements import frames_of
from gasoline_cdp.tools.registry import TOOLS
from tests.support import PATIENCE, Watch

SIGNED = "document.documentElement ? getComputedStyle(document.documentElement, '::after').content : ''"


async def signed(watch: Watch, wanted: bool) -> None:
    """Wait until the page in front shows the badge, or shows it no more."""
    with trio.fail_after(PATIENCE):
        while ("pilot" in await watch.evaluate(SIGNED)) is not wanted:
            pass


_DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


async def still(watch: Watch) -> bytes:
    """The page once every frame has been drawn and two pictures are the same.

    A frame of another process is drawn later than the page around it, so that one picture may be without it.
    """
    with trio.fail_after(PATIENCE):
        for frame in await frames_of(watch.tab):
            await frame.world.call(_DRAWN)
        while (one := await picture(watch.tab.session)) != await picture(watch.tab.session):
            pass
    return one


async def looks(watch: Watch, like: bytes) -> None:
    """Wait until the page looks so."""
    with trio.fail_after(PATIENCE):
        while await picture(watch.tab.session) != like:
            pass


async def picture(session: Session) -> bytes:
    """The visible page, what the browser draws above it included. Never a part: that is drawn otherwise."""
    reply = await session.send("Page.captureScreenshot", {"format": "png"})
    return b64decode(reply["data"])


def record_traffic(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every command that goes to the browser from here on."""
    sent: list[str] = []
    write = Connection.write

    def recorded(self: Connection, session: Any, method: str, params: Any, *, awaited: bool) -> Any:
        sent.append(method)
        return write(self, session, method, params, awaited=awaited)

    monkeypatch.setattr(Connection, "write", recorded)
    return sent


_PLAIN: dict[str, Any] = {"string": "pilot", "integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}


def calls_of(name: str) -> Iterator[dict[str, Any]]:
    """Every combination of a tool's choices, with and without all that may be left out."""
    schema = wire.schema_of(TOOLS[name].args)
    properties = schema["properties"]
    choices = {key: part["enum"] for key, part in properties.items() if "enum" in part}
    several = {key: part["items"]["enum"] for key, part in properties.items() if "enum" in part.get("items", {})}
    rest = {key: _PLAIN.get(part.get("type", ""), 1) for key, part in properties.items() if key not in choices}
    required = {key: value for key, value in rest.items() if key in schema.get("required", [])}
    for chosen in itertools.product(*choices.values()):
        picked = dict(zip(choices, chosen, strict=True))
        yield {**required, **picked}
        usable = {key: value for key, value in rest.items() if wire.goes_with(TOOLS[name].args, key, picked)}
        yield {**usable, **picked, "tab_id": None}
    for key, names in several.items():
        yield from ({**required, key: [name]} for name in names)
    yield {**required, "pilot": True, "on": True, "enabled": True}
