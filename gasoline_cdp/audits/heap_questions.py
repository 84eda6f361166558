"""Asks the heap worker: which snapshot is meant, a new one if there is none, and texts that are safe to show."""

import re
import time
from typing import Any

from attrs import define, frozen

from gasoline_cdp import limits
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.cdp.connection import Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.heap_worker.process import WorkerError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.heap_capture import worker_failed
from gasoline_cdp.probe.heaps import ANY_AGE, HeapSnapshot, find_target
from gasoline_cdp.records import StackFrame
from gasoline_cdp.redact import safe_text, safe_url

_TEXT_CHARS = 400
# Lines longer than this are a bundler's.
_COLUMNS = 200
# Scopes that compare the page now with a baseline; the others look at one snapshot.
_COMPARING = ("leaks", "compare")
# Scopes that explain what an earlier answer showed: they look at the same snapshot, however old.
_EXPLAINING = ("object", "retainers")
_FALLBACK = "engine: fallback. The native kernel is not installed; results are the same, only slower."


@frozen(kw_only=True)
class MemoryRequest:
    """What a caller asks."""

    scope: str
    tab_id: int | None = None
    # The baseline, or the snapshot to look at.
    name: str | None = None
    # A class or id; or part of the URL of a worker or frame.
    of: str | None = None
    rounds: int | None = None
    fresh: bool = False
    max_bytes: int = limits.ANSWER_BYTES


@define
class HeapQuestion:
    """A question about the heap of one page, frame or worker."""

    request: MemoryRequest
    tab: Tab
    context: Context
    session: Session
    url: str
    # The snapshot that was asked about.
    asked: HeapSnapshot | None = None

    @property
    def is_page(self) -> bool:
        """Whether it is about the page, not about a frame or worker of it."""
        return self.session is self.tab.session

    def taken(self) -> str:
        """When the snapshot was taken."""
        return iso(self.asked.taken_at if self.asked else time.time())

    async def take(self, name: str = "") -> tuple[HeapSnapshot, list[str]]:
        """Take a snapshot."""
        return await self.context.heaps.take(self.tab, self.session, name, self.context.progress)

    def baselines(self) -> tuple[HeapSnapshot | None, HeapSnapshot | None]:
        """The baseline, and the snapshot in between: `before` or `before,opened`."""
        first, _, second = (self.request.name or "").partition(",")
        baseline = self._named(first.strip()) if first.strip() else None
        return baseline, self._named(second.strip()) if second.strip() else None

    def _named(self, name: str) -> HeapSnapshot:
        """A snapshot to compare with. Raises if it is of another document."""
        snapshot = self.context.heaps.named(name)
        same = snapshot.target_id in ("", self.session.target_id)
        if not same:
            raise GasolineError(
                Code.INVALID_PARAMS,
                f"The heap snapshot {name!r} is of another page, frame or worker (tab {snapshot.tab_id}).",
                problems=["name is of another target"],
            )
        if snapshot.target_id and snapshot.navigation != self.tab.source.navigation:
            raise GasolineError(
                Code.PAGE_NAVIGATED,
                f"The page was loaded again since the heap snapshot {name!r}: its objects are gone. Take the baseline "
                "again, then repeat the action without loading the page.",
            )
        return snapshot

    async def ask(
        self, question: str, baseline: HeapSnapshot | None = None, middle: HeapSnapshot | None = None, **details: Any
    ) -> tuple[dict[str, Any], list[str]]:
        """The worker's answer with safe texts, and notes about it."""
        snapshot, dropped = await self._snapshot()
        self.asked = snapshot
        gone = [one.name for one in (baseline, middle) if one is not None and one.name in dropped]
        if gone:
            raise GasolineError(
                Code.HEAP_TOO_LARGE,
                f"There is no room for the heap snapshots {', '.join(gone)} beside the page as it is now: they were "
                "dropped. Take the baseline while the page is smaller.",
            )
        self.context.progress(0, None, "analyses the heap snapshot")
        try:
            answer = await self.context.heaps.worker.ask(
                question,
                name=snapshot.key,
                baseline=baseline.key if baseline else None,
                middle=middle.key if middle else None,
                **details,
            )
        except WorkerError as error:
            raise worker_failed(error) from error
        if not answer.pop("same_page", True):
            raise GasolineError(
                Code.PAGE_NAVIGATED,
                "The objects of the baseline are not those of this page: another program, such as DevTools, took a "
                "heap snapshot in between and reset the ids. Take the baseline again.",
            )
        notes = self.notes(answer.pop("engine", ""), dropped)
        locations = await self._original(answer.pop("locations", {}))
        safe = safe_texts(answer, locations)
        assert isinstance(safe, dict)  # noqa: S101 - for the type checker
        return safe, notes

    def notes(self, engine: str, dropped: list[str]) -> list[str]:
        """What the reader has to know about how an answer was made."""
        notes = [_FALLBACK] if engine == "fallback" else []
        if dropped:
            notes.append(f"Dropped to make room: heap snapshot {', '.join(dropped)}.")
        return notes

    async def _snapshot(self) -> tuple[HeapSnapshot, list[str]]:
        """The snapshot that the question is about. Takes one where the page as it is now is meant."""
        request, heaps = self.request, self.context.heaps
        if request.scope not in _COMPARING and request.name:
            return heaps.named(request.name), []
        if not request.fresh and request.scope not in _COMPARING:
            explaining = request.scope in _EXPLAINING
            age = ANY_AGE if explaining else limits.ANALYZE_FRESH_SECONDS
            known = heaps.newest(self.tab, age, None if explaining else self.session)
            if known is not None:
                return known, []
        return await self.take()

    async def _original(self, locations: dict[str, list[Any]]) -> dict[str, str]:
        """Places in the code as it was written, where a source map says so; the others as they are shown."""
        frames = [StackFrame("", safe_url(url), int(line), int(column)) for url, line, column in locations.values()]
        mapped = await self.context.capture.source_maps.original(frames, self.tab.source, self.session)
        return {
            location: f"{now.url.split('?', 1)[0].rstrip('/').rsplit('/', 1)[-1]}:{now.line}"
            if now is not was
            else shown_location(location)
            for location, was, now in zip(locations, frames, mapped, strict=True)
        }


def shown_location(location: str) -> str:
    """`panel.js:42` for `panel.js:42:7`. In the long lines of bundles the column is what helps to find the place."""
    line, _, column = location.rpartition(":")
    return line if int(column) <= _COLUMNS else location


def safe_texts(value: Any, locations: dict[str, str]) -> Any:
    """Texts from the page's memory: secrets masked, length capped, locations replaced."""
    # In one go, and as a whole: `a.js:1:2` also begins `a.js:1:23`, and ends `data.js:1:2`.
    alternatives = "|".join(map(re.escape, locations))
    return _safe(value, re.compile(rf"(?<![^\s(])({alternatives})(?!\d)") if locations else None, locations)


def _safe(value: Any, pattern: "re.Pattern[str] | None", locations: dict[str, str]) -> Any:
    if isinstance(value, str):
        shown = pattern.sub(lambda matching: locations[matching[0]], value) if pattern else value
        return safe_text(shown, _TEXT_CHARS)
    if isinstance(value, list):
        return [_safe(one, pattern, locations) for one in value]
    if isinstance(value, dict):
        return {name: _safe(one, pattern, locations) for name, one in value.items()}
    return value


async def open_question(request: MemoryRequest, tab: Tab, context: Context) -> HeapQuestion:
    """A question about the page of a tab, or about its worker or frame."""
    part = None if request.scope in _EXPLAINING else request.of
    if request.scope in _EXPLAINING and not request.of:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"{request.scope} needs `of`: the id of an object (@123) or the name of a class.",
            problems=["of is required"],
        )
    session, url = await find_target(tab, part)
    return HeapQuestion(request, tab, context, session, url)
