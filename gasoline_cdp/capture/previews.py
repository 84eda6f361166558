"""The objects of console calls: fetches deeper previews where useful, and releases the objects.

Chrome holds every logged object as long as we listen, so that a client can ask for more of it. It never releases them
by itself, and a page that logs its state would grow without end. So we release them after every hundred.
"""

from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import trio
from attrs import define, frozen

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.capture.backlog import Backlog
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.records import LogRecord
from gasoline_cdp.redact import EDGE, safe_text
from gasoline_cdp.store.telemetry import Telemetry

# Bounds of a deep preview: levels, elements or properties per value, values in all, characters per string.
_STRING_CHARS = 200
# Strings are a little longer than shown, so that a secret at the cut is seen whole.
_MOST = {"levels": 5, "items": 12, "parts": 80, "string": _STRING_CHARS + EDGE}
# Bounds for messages that are neither errors nor warnings.
_MOST_OF_LOGS = {**_MOST, "levels": 3}
_PREVIEWED = (None, "array", "error", "map", "set")
# Subtypes of nested values that have nothing more to show.
_CLOSED = ("null", "node", "date", "regexp", "arraybuffer", "dataview", "typedarray")
_OF_ERRORS = ("stack", "message", "name")
_COMPARED = ("string", "number", "boolean", "undefined", "bigint", "symbol")

Text = Callable[[Params, Mapping[int, Params]], str]


@frozen(eq=False)
class _Job:
    """A message, and the values in it, by index, to fetch deeper previews of."""

    session: Session
    seq: int
    params: Params
    values: dict[int, Params]
    text: Text
    important: bool


@define
class _Held:
    """What Chrome holds for one session: messages with objects, and those of them that wait for a deep preview."""

    messages: int = 0
    waiting: int = 0


class PreviewFetcher:
    """Gets every console message, and annotates some with a better text a moment later."""

    def __init__(self, telemetry: Telemetry) -> None:
        self.backlog: Backlog[_Job] = Backlog(limits.PREVIEW_BACKLOG)
        self._telemetry = telemetry
        self._held: WeakKeyDictionary[Session, _Held] = WeakKeyDictionary()
        # When a message that is neither error nor warning was last previewed.
        self._logs_at = float("-inf")

    def offer(self, session: Session, params: Params, record: LogRecord, text: Text) -> None:
        """A console call or an exception was recorded. `text` renders it again with better previews. Never blocks."""
        details = params.get("exceptionDetails")
        given = [mapping(details).get("exception")] if details else params.get("args")
        if not isinstance(given, list) or not _holds_objects(given):
            return
        values = [mapping(value) for value in given[: limits.CONSOLE_ARGUMENTS]]
        held = self._held.setdefault(session, _Held())
        held.messages += 1
        important = record.level in ("error", "warning")
        if important or self._has_time():
            chosen = {index: value for index, value in enumerate(values) if is_worth_a_preview(value)}
            if chosen:
                self._logs_at = self._logs_at if important else trio.current_time()
                self._offer(_Job(session, record.seq, params, chosen, text, important), held)
        if held.messages >= limits.OBJECTS_HELD and (not held.waiting or held.messages >= 10 * limits.OBJECTS_HELD):
            self.release(session)

    def _has_time(self) -> bool:
        """Whether a message of no importance may be previewed: a few per second, and none while others wait."""
        return not self.backlog and trio.current_time() - self._logs_at >= limits.PREVIEW_LOGS_SECONDS

    def release(self, session: Session) -> None:
        """Let Chrome release the objects logged so far, as it does when a console is cleared."""
        if (held := self._held.get(session)) is not None:
            held.messages = 0
        session.post("Runtime.releaseObjectGroup", {"objectGroup": "console"})

    def _offer(self, job: _Job, held: _Held) -> None:
        if self.backlog.offer(job):
            # Chrome need not keep objects for messages that are neither errors nor warnings.
            held.waiting += job.important

    async def run(self) -> None:
        """Fetch previews until cancelled. One at a time and with pauses, since each costs the page's own time."""
        await self.backlog.serve(self._fetch_in_time, pause_seconds=limits.PREVIEW_PAUSE_SECONDS)

    async def _fetch_in_time(self, job: _Job) -> None:
        try:
            with trio.move_on_after(limits.PREVIEW_SECONDS):
                await self._fetch(job)
        except (CdpError, CdpClosed):
            # The page has navigated, or the values are from different worlds: keep the record's text.
            pass
        if (held := self._held.get(job.session)) is not None:
            held.waiting -= job.important

    async def _fetch(self, job: _Job) -> None:
        references = [value["objectId"] for value in job.values.values()]
        seen = await deep_previews(job.session, references, _MOST if job.important else _MOST_OF_LOGS)
        if seen is None:
            return
        deeper = {
            index: _safe(preview)
            for (index, value), preview in zip(job.values.items(), seen, strict=False)
            if isinstance(preview, dict) and agrees(mapping(value.get("preview")), preview)
        }
        if deeper:
            self._telemetry.annotate(job.seq, {"text": job.text(job.params, deeper)})


async def deep_previews(session: Session, references: list[str], most: dict[str, Any]) -> list[object] | None:
    """Previews of objects; None if they could not be read without running code of the page.

    `most["wanted"]` may say, for each object, which properties come first, and whether they are all.
    """
    if not references:
        return []
    ids = [{"objectId": reference} for reference in references]
    reply = await session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": page_script("deep_preview"),
            **ids[0],
            "arguments": [{"value": most}, *ids],
            # No code of the page runs, unless it has no side effect.
            "throwOnSideEffect": True,
            "returnByValue": True,
            "silent": True,
        },
    )
    previews = mapping(reply.get("result")).get("value")
    return previews if isinstance(previews, list) and "exceptionDetails" not in reply else None


def _safe(preview: Any) -> Any:
    """A preview with masked strings. They are cut only afterwards: half a secret would not be recognised."""
    if isinstance(preview, dict):
        return {
            name: safe_text(value, _STRING_CHARS) if isinstance(value, str) else _safe(value)
            for name, value in preview.items()
        }
    return [_safe(item) for item in preview] if isinstance(preview, list) else preview


def is_worth_a_preview(value: Params) -> bool:
    """Whether a value has more than Chrome's preview shows: it overflows, or contains values that are not expanded."""
    preview = value.get("preview")
    if not isinstance(value.get("objectId"), str) or value.get("type") != "object" or not isinstance(preview, dict):
        return False
    if value.get("subtype") not in _PREVIEWED or value.get("className") in ("Window", "DOMException"):
        return False
    parts = [*_items(preview, "properties"), *(entry.get("value") for entry in _items(preview, "entries"))]
    return bool(preview.get("overflow")) or any(_has_more(mapping(part)) for part in parts)


def _has_more(part: Params) -> bool:
    if part.get("type") != "object" or part.get("subtype") in _CLOSED:
        return False
    return part.get("value", part.get("description")) != "Array(0)"


def agrees(preview: Params, seen: Params) -> bool:
    """Whether a deep preview shows the value as it was logged: everything that Chrome showed is there, unchanged.

    The page has run on since the call, and may have changed the value.
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
