"""The objects of console calls: looked into more deeply where that pays, and let go again.

Chrome holds every object that was logged for as long as we listen, so that a client can look into it. Nothing tells it
to let go, and a page that logs its state would grow without end under our eyes: so we tell it, after every hundred.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import trio
from attrs import define, frozen

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.records import LogRecord
from gasoline_cdp.redact import EDGE, safe_text

# How far a look goes: levels, elements or properties of each value, values in all, characters of a string.
_STRING_CHARS = 200
# A little more of a string than is shown, so that a secret at the edge is seen whole.
_MOST = {"levels": 5, "items": 12, "parts": 80, "string": _STRING_CHARS + EDGE}
# Of messages that tell of no trouble.
_MOST_OF_LOGS = {**_MOST, "levels": 3}
_LOOKED_INTO = (None, "array", "error", "map", "set")
# Of a value inside another: nothing more is to be seen in these.
_CLOSED = ("null", "node", "date", "regexp", "arraybuffer", "dataview", "typedarray")
_OF_ERRORS = ("stack", "message", "name")
_COMPARED = ("string", "number", "boolean", "undefined", "bigint", "symbol")

Text = Callable[[Params, Mapping[int, Params]], str]


@frozen(eq=False)
class _Look:
    """A message whose values are to be looked into."""

    session: Session
    seq: int
    params: Params
    values: dict[int, Params]
    text: Text
    troubled: bool


@define
class _Held:
    """What Chrome holds for one session: messages with objects, and those among them still to be looked into."""

    messages: int = 0
    looks: int = 0


class Objects:
    """Hears of every console message; gives a better text for some of them a moment later."""

    def __init__(self) -> None:
        self.skipped = 0
        self.unfinished = 0
        self._held: WeakKeyDictionary[Session, _Held] = WeakKeyDictionary()
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._jobs, self._queue = trio.open_memory_channel[_Look](limits.LOOK_BACKLOG)
        self._one_done = trio.Event()
        # When something that tells of no trouble was looked into last.
        self._logs_at = float("-inf")

    def text_of(self, record: LogRecord) -> str:
        """What a record says, as deep as it is known by now."""
        return self._texts.get(record.seq, record.text)

    def heard(self, session: Session, params: Params, record: LogRecord, text: Text) -> None:
        """A console call or an exception was recorded; `text` says it again with better previews. Never blocks."""
        details = params.get("exceptionDetails")
        given = [mapping(details).get("exception")] if details else params.get("args")
        if not isinstance(given, list) or not _holds_objects(given):
            return
        values = [mapping(value) for value in given[: limits.CONSOLE_ARGUMENTS]]
        held = self._held.setdefault(session, _Held())
        held.messages += 1
        troubled = record.level in ("error", "warning")
        if troubled or self._has_time():
            worth = {place: value for place, value in enumerate(values) if is_worth_a_look(value)}
            if worth:
                self._logs_at = self._logs_at if troubled else trio.current_time()
                self._offer(_Look(session, record.seq, params, worth, text, troubled), held)
        if held.messages >= limits.OBJECTS_HELD and (not held.looks or held.messages >= 10 * limits.OBJECTS_HELD):
            self.release(session)

    def _has_time(self) -> bool:
        """Whether a message that tells of no trouble may be looked into: few a second, and none while others wait."""
        return not self.unfinished and trio.current_time() - self._logs_at >= limits.LOOK_LOGS_SECONDS

    def release(self, session: Session) -> None:
        """Let Chrome forget the objects that were logged so far, as it does when a console is cleared."""
        if (held := self._held.get(session)) is not None:
            held.messages = 0
        session.post("Runtime.releaseObjectGroup", {"objectGroup": "console"})

    def _offer(self, look: _Look, held: _Held) -> None:
        try:
            self._jobs.send_nowait(look)
        except trio.WouldBlock:
            self.skipped += 1
            return
        # Of what tells of no trouble nothing is held back for a look.
        held.looks += look.troubled
        self.unfinished += 1

    async def wait_idle(self) -> None:
        """Wait until nothing is being looked into."""
        while self.unfinished:
            await self._one_done.wait()

    async def run(self) -> None:
        """Look until cancelled; one at a time and with pauses, since every look takes the page's own time."""
        async for look in self._queue:
            try:
                with trio.move_on_after(limits.LOOK_SECONDS):
                    await self._look(look)
            except (CdpError, CdpClosed):
                # The page has moved on, or the values are of different worlds: what the record says has to do.
                pass
            if (held := self._held.get(look.session)) is not None:
                held.looks -= look.troubled
            self.unfinished -= 1
            self._one_done.set()
            self._one_done = trio.Event()
            await trio.sleep(limits.LOOK_PAUSE_SECONDS)

    async def _look(self, look: _Look) -> None:
        ids = [{"objectId": value["objectId"]} for value in look.values.values()]
        reply = await look.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": page_script("look"),
                **ids[0],
                "arguments": [{"value": _MOST if look.troubled else _MOST_OF_LOGS}, *ids],
                # Nothing of the page's runs, or only what has no effect.
                "throwOnSideEffect": True,
                "returnByValue": True,
                "silent": True,
            },
        )
        seen = mapping(reply.get("result")).get("value")
        if "exceptionDetails" in reply or not isinstance(seen, list):
            return
        deeper = {
            place: _safe(preview)
            for (place, value), preview in zip(look.values.items(), seen, strict=False)
            if isinstance(preview, dict) and agrees(mapping(value.get("preview")), preview)
        }
        if deeper:
            self._texts[look.seq] = look.text(look.params, deeper)
            while len(self._texts) > limits.LOOKS_KEPT:
                self._texts.popitem(last=False)


def _safe(preview: Any) -> Any:
    """A preview whose strings are masked, and cut only then: half a secret is not recognised any more."""
    if isinstance(preview, dict):
        return {
            name: safe_text(value, _STRING_CHARS) if isinstance(value, str) else _safe(value)
            for name, value in preview.items()
        }
    return [_safe(item) for item in preview] if isinstance(preview, list) else preview


def is_worth_a_look(value: Params) -> bool:
    """Whether there is more to a value than Chrome's preview shows: it overflows, or holds values that are closed."""
    preview = value.get("preview")
    if not isinstance(value.get("objectId"), str) or value.get("type") != "object" or not isinstance(preview, dict):
        return False
    if value.get("subtype") not in _LOOKED_INTO or value.get("className") in ("Window", "DOMException"):
        return False
    parts = [*_items(preview, "properties"), *(entry.get("value") for entry in _items(preview, "entries"))]
    return bool(preview.get("overflow")) or any(_has_more(mapping(part)) for part in parts)


def _has_more(part: Params) -> bool:
    if part.get("type") != "object" or part.get("subtype") in _CLOSED:
        return False
    return part.get("value", part.get("description")) != "Array(0)"


def agrees(preview: Params, seen: Params) -> bool:
    """Whether a look shows the value as it was logged: all that Chrome showed of it then is there, and the same.

    Between the call and our look the page has gone on, and may have changed it.
    """
    if seen.get("subtype") != "error" and preview.get("description") != seen.get("description"):
        return False
    now = {str(part.get("name")): part for part in _items(seen, "properties")}
    for part in _items(preview, "properties"):
        name = str(part.get("name"))
        of_error = name in _OF_ERRORS and seen.get("subtype") == "error"
        if of_error or name.startswith("Symbol(") or seen.get("subtype") in ("map", "set"):
            continue
        other = now.get(name)
        if other is None:
            if seen.get("overflow"):
                continue
            return False
        if part.get("type") != other.get("type") or part.get("subtype") != other.get("subtype"):
            return False
        plain = part.get("type") in _COMPARED or part.get("subtype") == "array"
        if plain and "…" not in str(part.get("value")) and part.get("value") != other.get("value"):
            return False
    return True


def _items(preview: Params, name: str) -> list[dict[str, Any]]:
    items = preview.get(name)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _holds_objects(values: list[Any]) -> bool:
    for value in values:  # noqa: SIM110 - `any` takes three times as long, and this is asked of every message
        if isinstance(value, dict) and "objectId" in value:
            return True
    return False
