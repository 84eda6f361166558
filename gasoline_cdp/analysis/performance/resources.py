"""Compares the resources of two loads of a page, and names the likeliest reasons why the second was worse."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import field, frozen

from gasoline_cdp.analysis.normalise import without_ids
from gasoline_cdp.analysis.performance.regressions import Change
from gasoline_cdp.limits import KB
from gasoline_cdp.measures import LongTasks, Resource

_RESIZED_SHARE = 0.1
_RESIZED_BYTES = 10 * KB
_RETIMED_MS = 100.0
_SHOWN = 3

# Content hashes that bundlers put into file names: app.3f9a1c2b.js, app-Bx7kQ2aZ.css, main-5JLW3Q2K.js. The port of a
# local server differs in each run of a CI job.
_THIS_MACHINE = re.compile(r"^(https?://)(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?=/|$)")
_BUILD = re.compile(r"(?<=[._-])(?=[\w-]*\d)(?:[0-9a-f]{6,64}|[A-Za-z0-9_-]{8})(?=\.(?:\w{1,5}\.)?\w{1,5}$)")
_BYTES = {"transfer_size", "request_count"}
_TIMES = {"load", "first_contentful_paint", "largest_contentful_paint", "time_to_first_byte"}
_BLOCKING = {"long_task_count", "total_blocking_time", "interaction_to_next_paint"}


@frozen(kw_only=True)
class ResourceChange:
    """A resource that is new, gone or different: bytes and milliseconds, before and after."""

    url: str
    type: str
    size_before: int | None = None
    size_after: int | None = None
    duration_before: float | None = None
    duration_after: float | None = None

    @property
    def bytes_more(self) -> int:
        """By how many bytes it made the load heavier."""
        return (self.size_after or 0) - (self.size_before or 0)

    @property
    def ms_more(self) -> float:
        """How many milliseconds longer it takes. For a new resource, its whole time."""
        return (self.duration_after or 0.0) - (self.duration_before or 0.0)


@frozen(kw_only=True)
class ResourceChanges:
    """What differs between the resources of two loads."""

    added: tuple[ResourceChange, ...] = ()
    removed: tuple[ResourceChange, ...] = ()
    resized: tuple[ResourceChange, ...] = ()
    retimed: tuple[ResourceChange, ...] = ()


@frozen(kw_only=True)
class Cause:
    """One sentence in our own words, and the resource it is about."""

    sentence: str
    # Upper bound of the slowdown that it accounts for, in milliseconds.
    explains_ms: float = 0.0
    resources: tuple[ResourceChange, ...] = ()
    script: dict[str, Any] = field(factory=dict)


def resource_key(url: str) -> str:
    """An address without what differs between loads: query, ids, content hashes, local port."""
    bare = _THIS_MACHINE.sub(r"\1localhost", url.partition("#")[0].partition("?")[0])
    return without_ids(_BUILD.sub("[hash]", bare))


def compare_resources(before: Sequence[Resource], after: Sequence[Resource]) -> ResourceChanges:
    """Resources that are new, gone, or changed in size (by a tenth or 10 KB) or time (by 100 ms)."""
    old, new = _by_key(before), _by_key(after)
    common = [(old[key], new[key]) for key in new if key in old]
    pairs = [
        ResourceChange(
            url=now.url,
            type=now.type,
            size_before=was.size,
            size_after=now.size,
            duration_before=was.duration_ms,
            duration_after=now.duration_ms,
        )
        for was, now in common
    ]
    return ResourceChanges(
        added=_heaviest(_one_sided(new[key], added=True) for key in new if key not in old),
        removed=_heaviest(_one_sided(old[key], added=False) for key in old if key not in new),
        resized=_heaviest(pair for pair in pairs if _is_resized(pair)),
        retimed=tuple(
            sorted((pair for pair in pairs if abs(pair.ms_more) > _RETIMED_MS), key=lambda p: -abs(p.ms_more))
        ),
    )


def probable_causes(worse: Sequence[Change], changed: ResourceChanges, tasks: LongTasks) -> tuple[Cause, ...]:
    """The likeliest reasons, those that explain most milliseconds first. Empty if nothing recorded explains it.

    If no time got worse, bytes count.
    """
    names = {change.metric for change in worse}
    causes: list[Cause] = []
    if names & _TIMES:
        slower = [change for change in (*changed.retimed, *changed.added) if change.ms_more > _RETIMED_MS]
        causes += [_of_time(change) for change in slower]
    if names & _BLOCKING and (blocked := _of_tasks(worse, tasks)):
        causes.append(blocked)
    causes.sort(key=lambda cause: -cause.explains_ms)
    heavier = [change for change in (*changed.added, *changed.resized) if change.bytes_more > _RESIZED_BYTES]
    heavier.sort(key=lambda change: -change.bytes_more)
    # A resource listed for its time is not listed again for its size.
    if heavier and (names & _BYTES or (names & _TIMES and not causes)) and not _is_listed(heavier[0], causes):
        causes.append(_of_bytes(heavier, changed))
    return tuple(causes[:_SHOWN])


def _is_listed(change: ResourceChange, causes: Iterable[Cause]) -> bool:
    return any(change in cause.resources for cause in causes)


def _of_bytes(heavier: list[ResourceChange], changed: ResourceChanges) -> Cause:
    first = heavier[0]
    size = _size(first.bytes_more)
    if first in changed.added:
        sentence = f"A {first.type} of {size} was not loaded before (resources[0])."
    else:
        sentence = f"A {first.type} grew by {size} (resources[0])."
    whole = sum(change.bytes_more for change in heavier)
    if len(heavier) > 1:
        sentence = f"{sentence[:-1]}; {first.bytes_more / whole:.0%} of the {_size(whole)} that were added."
    return Cause(sentence=sentence, explains_ms=max(0.0, round(first.ms_more, 1)), resources=tuple(heavier[:_SHOWN]))


def _of_time(change: ResourceChange) -> Cause:
    took = f"{change.ms_more:.0f} ms"
    if change.duration_before is None:
        size = f" of {_size(change.bytes_more)}" if change.bytes_more > _RESIZED_BYTES else ""
        sentence = f"A {change.type}{size} that takes {took} was not loaded before (resources[0])."
    elif change.type == "document":
        sentence = f"The document itself took {took} longer (resources[0])."
    else:
        sentence = f"A {change.type} request took {took} longer (resources[0])."
    return Cause(sentence=sentence, explains_ms=round(change.ms_more, 1), resources=(change,))


def _of_tasks(worse: Sequence[Change], tasks: LongTasks) -> Cause | None:
    if not tasks.entries:
        return None
    longest = tasks.entries[0]
    script = longest.get("script")
    where = " in the script named here" if isinstance(script, dict) else ""
    # Long tasks explain only the additional blocking time, not their whole duration.
    more = next((change.absolute_change for change in worse if change.metric == "total_blocking_time"), 0.0)
    return Cause(
        sentence=f"A task held the main thread for {longest['duration']:.0f} ms{where}.",
        explains_ms=round(more or float(longest["duration"]), 1),
        script=dict(script) if isinstance(script, dict) else {},
    )


def _by_key(resources: Iterable[Resource]) -> dict[str, Resource]:
    """One entry per address. Of repeated ones, the slowest, with the bytes of all."""
    by_key: dict[str, Resource] = {}
    for resource in resources:
        key = resource_key(resource.url)
        known = by_key.get(key)
        by_key[key] = resource if known is None else _together(known, resource)
    return by_key


def _together(one: Resource, other: Resource) -> Resource:
    return Resource(
        url=other.url,
        type=other.type,
        size=one.size + other.size,
        duration_ms=max(one.duration_ms, other.duration_ms),
        start_ms=min(one.start_ms, other.start_ms),
    )


def _one_sided(resource: Resource, *, added: bool) -> ResourceChange:
    if added:
        return ResourceChange(
            url=resource.url, type=resource.type, size_after=resource.size, duration_after=resource.duration_ms
        )
    return ResourceChange(
        url=resource.url, type=resource.type, size_before=resource.size, duration_before=resource.duration_ms
    )


def _is_resized(change: ResourceChange) -> bool:
    difference, before = abs(change.bytes_more), change.size_before or 0
    # A cached response has no bytes on the wire: the same resource, loaded differently.
    if not before or not change.size_after:
        return False
    return difference > _RESIZED_BYTES or difference > before * _RESIZED_SHARE


def _heaviest(changes: Iterable[ResourceChange]) -> tuple[ResourceChange, ...]:
    return tuple(sorted(changes, key=lambda change: -abs(change.bytes_more)))


def _size(count: float) -> str:
    return f"{count / KB:.0f} KB" if count >= KB else f"{count:.0f} bytes"
