"""The objects of console calls: previewed more deeply where that pays, and let go again.

Chrome holds every object that was logged for as long as we listen, so that a client can ask for more of it. Nothing
tells it to let go, and a page that logs its state would grow without end: so we tell it, after every hundred.
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

# How far a deep preview goes: levels, elements or properties of each value, values in all, characters of a string.
_STRING_CHARS = 200
# A little more of a string than is shown, so that a secret at the edge is seen whole.
_MOST = {"levels": 5, "items": 12, "parts": 80, "string": _STRING_CHARS + EDGE}
# Of messages that tell of no trouble.
_MOST_OF_LOGS = {**_MOST, "levels": 3}
_PREVIEWED = (None, "array", "error", "map", "set")
# Of a value inside another: nothing more is to be seen in these.
_CLOSED = ("null", "node", "date", "regexp", "arraybuffer", "dataview", "typedarray")
_OF_ERRORS = ("stack", "message", "name")
_COMPARED = ("string", "number", "boolean", "undefined", "bigint", "symbol")

Text = Callable[[Params, Mapping[int, Params]], str]


@frozen(eq=False)
class _Job:
    """A message some of whose values, by their index, are to be previewed more deeply."""

    session: Session
    seq: int
    params: Params
    values: dict[int, Params]
    text: Text
    troubled: bool


@define
class _Held:
    """What Chrome holds for one session: messages with objects, and those among them that wait for a deep preview."""

    messages: int = 0
    waiting: int = 0


class PreviewFetcher:
    """Hears of every console message; annotates some of them with a better text a moment later."""

    def __init__(self, telemetry: Telemetry) -> None:
        self.backlog: Backlog[_Job] = Backlog(limits.PREVIEW_BACKLOG)
        self._telemetry = telemetry
        self._held: WeakKeyDictionary[Session, _Held] = WeakKeyDictionary()
        # When a message that tells of no trouble was previewed last.
        self._logs_at = float("-inf")

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
            worth = {index: value for index, value in enumerate(values) if is_worth_a_preview(value)}
            if worth:
                self._logs_at = self._logs_at if troubled else trio.current_time()
                self._offer(_Job(session, record.seq, params, worth, text, troubled), held)
        if held.messages >= limits.OBJECTS_HELD and (not held.waiting or held.messages >= 10 * limits.OBJECTS_HELD):
            self.release(session)

    def _has_time(self) -> bool:
        """Whether a message that tells of no trouble may be previewed: few a second, and none while others wait."""
        return not self.backlog and trio.current_time() - self._logs_at >= limits.PREVIEW_LOGS_SECONDS

    def release(self, session: Session) -> None:
        """Let Chrome forget the objects that were logged so far, as it does when a console is cleared."""
        if (held := self._held.get(session)) is not None:
            held.messages = 0
        session.post("Runtime.releaseObjectGroup", {"objectGroup": "console"})

    def _offer(self, job: _Job, held: _Held) -> None:
        if self.backlog.offer(job):
            # Chrome need not hold anything for messages that tell of no trouble.
            held.waiting += job.troubled

    async def run(self) -> None:
        """Fetch previews until cancelled; one at a time and with pauses, since each takes the page's own time."""
        await self.backlog.serve(self._fetch_in_time, pause_seconds=limits.PREVIEW_PAUSE_SECONDS)

    async def _fetch_in_time(self, job: _Job) -> None:
        try:
            with trio.move_on_after(limits.PREVIEW_SECONDS):
                await self._fetch(job)
        except (CdpError, CdpClosed):
            # The page has moved on, or the values are of different worlds: what the record says has to do.
            pass
        if (held := self._held.get(job.session)) is not None:
            held.waiting -= job.troubled

    async def _fetch(self, job: _Job) -> None:
        ids = [{"objectId": value["objectId"]} for value in job.values.values()]
        reply = await job.session.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": page_script("deep_preview"),
                **ids[0],
                "arguments": [{"value": _MOST if job.troubled else _MOST_OF_LOGS}, *ids],
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
            index: _safe(preview)
            for (index, value), preview in zip(job.values.items(), seen, strict=False)
            if isinstance(preview, dict) and agrees(mapping(value.get("preview")), preview)
        }
        if deeper:
            self._telemetry.annotate(job.seq, {"text": job.text(job.params, deeper)})


def _safe(preview: Any) -> Any:
    """A preview whose strings are masked, and cut only then: half a secret is not recognised any more."""
    if isinstance(preview, dict):
        return {
            name: safe_text(value, _STRING_CHARS) if isinstance(value, str) else _safe(value)
            for name, value in preview.items()
        }
    return [_safe(item) for item in preview] if isinstance(preview, list) else preview


def is_worth_a_preview(value: Params) -> bool:
    """Whether there is more to a value than Chrome's preview shows: it overflows, or holds values that are closed."""
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
    """Whether a deep preview shows the value as it was logged: all that Chrome showed then is there, and the same.

    Between the call and our question the page has gone on, and may have changed it.
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
