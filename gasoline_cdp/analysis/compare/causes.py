"""Finds what caused each issue, from the records around it.

If a page reports something while it handles a user's event, that event is the cause: the capture records it (`during`).
If it reports something just after a response or message arrived, the cause is whatever led to that request or socket,
and maybe an action in between, which may have sent what the message answers. Otherwise only the time decides. With no
action before it, the load is the cause. After an action in an idle page, it is the action. In all other cases it may be
either, and both have to be tried again.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.compare.occurrences import (
    Arrival,
    Opened,
    Records,
    arrivals_of,
    loads_of,
    worker_cause,
    workers_of,
)
from gasoline_cdp.analysis.compare.triggers import (
    ACTIONS,
    CLOCK_SECONDS,
    UNKNOWN_ACTION,
    Cause,
    Retries,
    Trigger,
    Try,
    action_of,
    is_same,
    load_of,
    tries_needed,
)
from gasoline_cdp.analysis.normalise import without_ids
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.records import LogRecord, NetworkRecord, Source

# The observers of a page report the same time for the same event, but for rounding. Programs click twice in less time
# than CLOCK_SECONDS.
_EVENT_SECONDS = 0.001
# Time between press and release, and between a key and the text it typed.
_PRESS_SECONDS = 1.5
# A run of typing is recorded as one action, at its first key.
_TYPING_SECONDS = 30.0
# Longest chain of requests that led to one another.
_LINKS = 5


@frozen
class _Root:
    """One occurrence of something that an issue came from, and how long the issue took to appear."""

    one: Try
    seconds: float = 0.0
    via: str = ""
    # When its document was loaded, if only the time suggests this cause.
    guessed_after: float | None = None
    # The page was handling this very event.
    handled: bool = False


@frozen
class Causes:
    """The loads and actions of all tabs in order, and what arrived in between."""

    _loads: dict[tuple[int, int], Try]
    _actions: dict[int, list[tuple[float, int, Try]]]
    _ends: dict[int, list[tuple[float, Arrival]]]
    tries: tuple[Try, ...]
    _now: float

    @classmethod
    def among(cls, records: Records, now: float) -> "Causes":
        """Sort the records once, for all questions."""
        loads, restored = loads_of(records)
        actions: dict[int, list[tuple[float, int, Try]]] = defaultdict(list)
        for action in sorted(records.actions, key=lambda action: action.ts):
            if action.type in ACTIONS:
                left = loads.get((action.source.tab_id, action.source.navigation))
                one = Try(cause=action_of(action), ts=action.ts, until=left.until if left else None)
                actions[action.source.tab_id].append((action.ts, action.source.navigation, one))
        done = (one for each in actions.values() for _, _, one in each)
        tries = (*(one for key, one in loads.items() if key not in restored), *done, *workers_of(records))
        newest = sorted(tries, key=lambda one: one.ts, reverse=True)
        return cls(loads, actions, arrivals_of(records), tuple(newest), now)

    def of_logs(self, records: Sequence[LogRecord]) -> tuple[Trigger, ...]:
        """What caused an issue that was logged at these times."""
        return self._triggers([self._roots(record.source, record.ts, record.during) for record in records])

    def of_requests(self, records: Sequence[NetworkRecord]) -> tuple[Trigger, ...]:
        """What caused these requests."""
        return self._triggers([self._of_request(record) for record in records])

    def of_sockets(self, sockets: Sequence[Opened]) -> tuple[Trigger, ...]:
        """What caused these sockets to be opened."""
        return self._triggers([self._roots(socket.source, socket.ts, socket.during) for socket in sockets])

    def _triggers(self, occurrences: list[tuple[_Root, ...]]) -> tuple[Trigger, ...]:
        """Everything that has to be tried again before the absence of the issue means anything."""
        # If an issue comes with a load and repeats by itself, later actions are not its cause.
        by_load = {roots[0].one.ts for roots in occurrences if len(roots) == 1 and roots[0].one.cause.kind == "load"}
        occurrences = [roots for roots in occurrences if not any(root.guessed_after in by_load for root in roots)]
        certain = [roots for roots in occurrences if len(roots) == 1]
        times = {root.one.ts for roots in occurrences for root in roots}
        grouped: list[list[_Root]] = []
        # Certain causes first: they explain later occurrences at the same time.
        for roots in (*certain, *(roots for roots in occurrences if len(roots) > 1)):
            known = {(root.one.cause, root.one.ts) for same in grouped for root in same}
            if len(roots) > 1 and any((root.one.cause, root.one.ts) in known for root in roots):
                continue
            for root in self._plausible(roots, times):
                same = next((same for same in grouped if is_same(same[0].one.cause, root.one.cause)), None)
                if same is not None:
                    same.append(root)
                elif len(grouped) < limits.TRIGGERS_PER_ISSUE:
                    grouped.append([root])
        return tuple(self._trigger(same, certain=any(same[0] in roots for roots in certain)) for same in grouped)

    def _trigger(self, same: list[_Root], *, certain: bool) -> Trigger:
        # The first occurrence of each time counts; over all times, the slowest.
        soonest: dict[float, float] = {}
        for root in same:
            soonest[root.one.ts] = min(root.seconds, soonest.get(root.one.ts, root.seconds))
        tried = sum(is_same(one.cause, same[0].one.cause) and one.ts >= min(soonest) for one in self.tries)
        return Trigger(
            cause=same[0].one.cause,
            seconds=round(max(soonest.values()), 2),
            tries=tries_needed(len(soonest), tried) if certain else 1,
            via=same[0].via,
        )

    def _plausible(self, roots: tuple[_Root, ...], times: set[float]) -> Iterable[_Root]:
        """Without causes that happened again and led to nothing, unless that would leave none.

        An action that is only a guess and led to nothing another time may be innocent. The load is then equally
        suspect.
        """
        if len(roots) > 1:
            return [root for root in roots if not self._led_nowhere(root, times, since=root.one.ts)] or roots
        guess = roots[0]
        if guess.guessed_after is None or not self._led_nowhere(guess, times):
            return roots
        return (*(_Root(load) for load in self._loads.values() if load.ts == guess.guessed_after), guess)

    def _led_nowhere(self, root: _Root, times: set[float], since: float = 0.0) -> bool:
        trigger = Trigger(cause=root.one.cause, seconds=root.seconds)
        return any(
            one.ts >= since
            and one.ts not in times
            and is_same(one.cause, root.one.cause)
            and not Retries((one,), self._now).missing((trigger,))
            for one in self.tries
        )

    def _of_request(self, record: NetworkRecord) -> tuple[_Root, ...]:
        if record.type == "Document":
            path = without_ids(path_of(record.url))
            loads = [
                one
                for (tab_id, _), one in self._loads.items()
                if tab_id == record.source.tab_id and one.cause.path == path and one.ts >= record.ts - CLOCK_SECONDS
            ]
            if loads:
                return (_Root(min(loads, key=lambda one: one.ts)),)
        return self._roots(record.source, record.ts, record.during)

    def _roots(self, source: Source, ts: float, during: float | None, links: int = 0) -> tuple[_Root, ...]:
        if not source.tab_id:
            return (_Root(Try(cause=worker_cause(source), ts=ts)),)
        if during is not None:
            return (_Root(self._handled(source, during), handled=True),)
        load = self._load_of(source)
        if links < _LINKS and (link := self._just_arrived(source, ts)) is not None:
            roots = tuple(
                _through(root, link.name, ts) for root in self._roots(link.source, link.ts, link.during, links + 1)
            )
            if link.name and all(root.handled for root in roots):
                return roots
            # What arrived may be unrelated, or answer what an action sent since.
            since = [one for one in self._suspects(source, ts) if one.ts > link.ts]
            if _is_at_rest(since, ts, load):
                if _may_have_asked(since, link):
                    return tuple(_after(one, ts, load) for one in _distinct(since))
                if link.name:
                    # A poll waits for whatever somebody does. That it ends again is enough.
                    roots = tuple(evolve(root, seconds=0.0) for root in roots)
            known = {root.one for root in roots}
            return (*roots, *(_after(one, ts, load) for one in _distinct(since) if one not in known))
        after_load = _Root(load, _seconds_since(load, ts))
        actions = self._suspects(source, ts)
        after_action = tuple(_after(one, ts, load) for one in _distinct(actions))
        return after_action if _is_at_rest(actions, ts, load) else (after_load, *after_action)

    def _suspects(self, source: Source, ts: float) -> list[Try]:
        """The actions in the same document that happened just before, or the last one."""
        actions = self._actions.get(source.tab_id, [])
        earlier = actions[: bisect_right(actions, ts + CLOCK_SECONDS, key=lambda action: action[0])]
        in_document = [one for _, navigation, one in earlier if navigation == source.navigation]
        recent = [one for one in in_document if ts - one.ts <= limits.ACTION_EFFECT_SECONDS]
        return recent or in_document[-1:]

    def _handled(self, source: Source, during: float) -> Try:
        """The action to which the handled event belongs."""
        actions = self._actions.get(source.tab_id, [])
        index = bisect_left(actions, during - _EVENT_SECONDS, key=lambda action: action[0])
        before, after = actions[:index], actions[index:]
        if after and after[0][0] - during <= _EVENT_SECONDS:
            return after[0][2]
        if before and before[-1][2].cause.action == "input" and during - before[-1][0] <= _TYPING_SECONDS:
            return before[-1][2]
        if after and after[0][0] - during <= _PRESS_SECONDS:
            return after[0][2]
        # The event is not recorded as an action: a key that types nothing, a drag.
        unknown = Cause(kind="action", path=without_ids(path_of(source.url)), action=UNKNOWN_ACTION)
        return Try(cause=unknown, ts=during)

    def _just_arrived(self, source: Source, ts: float) -> Arrival | None:
        """What had just arrived when it happened."""
        ends = self._ends.get(source.tab_id, [])
        index = bisect_right(ends, ts + CLOCK_SECONDS, key=lambda end: end[0])
        for end, link in reversed(ends[:index]):
            if ts - end > limits.CONTINUATION_SECONDS:
                return None
            if link.source.navigation == source.navigation and link.ts < ts:
                return link
        return None

    def _load_of(self, source: Source) -> Try:
        known = self._loads.get((source.tab_id, source.navigation))
        return known or Try(cause=load_of(path_of(source.url)), ts=0.0)


def _is_at_rest(actions: Sequence[Try], ts: float, load: Try) -> bool:
    """Whether it happened just after actions in a page that had been idle before."""
    recent = [one for one in actions if ts - one.ts <= limits.ACTION_EFFECT_SECONDS]
    return bool(recent) and recent[0].ts - load.ts >= limits.LOAD_REST_SECONDS


def _may_have_asked(actions: Sequence[Try], link: Arrival) -> bool:
    """Whether the page sent something through this socket after an action, so that the message may answer that."""
    return link.asked is not None and any(one.ts - CLOCK_SECONDS <= link.asked for one in actions)


def _through(root: _Root, via: str, ts: float) -> _Root:
    """The root as reached through `via`.

    After an action it is enough that `via` ends again; after a load, time counts.
    """
    waits = not via or root.one.cause.kind == "load"
    return evolve(root, via=via, seconds=_seconds_since(root.one, ts) if waits else 0.0)


def _after(one: Try, ts: float, load: Try) -> _Root:
    """An action as a cause that only the time suggests."""
    return _Root(one, _seconds_since(one, ts), guessed_after=load.ts)


def _seconds_since(one: Try, ts: float) -> float:
    """Seconds after an action, or after a load was complete."""
    begun = one.loaded if one.cause.kind == "load" else one.ts
    return max(0.0, ts - begun) if begun is not None else 0.0


def _distinct(tries: Sequence[Try]) -> list[Try]:
    """The newest occurrence of each cause."""
    distinct: list[Try] = []
    # Most repeats are exactly equal. Check that first: it is faster than comparing elements.
    known: set[Cause] = set()
    for one in reversed(tries):
        if one.cause in known:
            continue
        known.add(one.cause)
        if not any(is_same(one.cause, other.cause) for other in distinct):
            distinct.append(one)
    return distinct
