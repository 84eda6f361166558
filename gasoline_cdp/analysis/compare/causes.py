"""Finds what caused each issue, from the records around it.

If a page reports something while it handles a user's event, that event is the cause: the capture records it (`during`).
If it reports something just after a response or message arrived, the cause is whatever led to that request or socket.
Otherwise only the time decides. With no action before it, the load is the cause. After an action in an idle page, it is
the action. In all other cases it may be either, and both have to be tried again.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import evolve, field, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.compare.triggers import (
    ACTIONS,
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
from gasoline_cdp.analysis.normalise import endpoint_of, origin_of, without_ids
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.records import ActionRecord, LogRecord, NetworkRecord, SocketRecord, Source

# The page's clock and Chrome's differ by less than this.
_CLOCK_SECONDS = 0.01
# The observers of a page report the same time for the same event, but for rounding. Programs click twice in less time
# than the above.
_EVENT_SECONDS = 0.001
# Time between press and release, and between a key and the text it typed.
_PRESS_SECONDS = 1.5
# A run of typing is recorded as one action, at its first key.
_TYPING_SECONDS = 30.0
# Longest chain of requests that led to one another.
_LINKS = 5
_FETCHED = frozenset({"Fetch", "XHR", "Script", "EventSource"})


@frozen
class Opened:
    """A socket: where and when it was opened, and what its page was handling at the time."""

    id: str
    url: str
    source: Source
    ts: float
    during: float | None = None


@frozen
class _Root:
    """One occurrence of something that an issue came from, and how long the issue took to appear."""

    one: Try
    seconds: float = 0.0
    via: str = ""
    # When its document was loaded, if only the time suggests this cause.
    guessed_after: float | None = None


@frozen
class _Link:
    """A request or a socket through which something arrived. It has no name if its name changes each time."""

    name: str
    source: Source
    ts: float
    during: float | None


@frozen
class Records:
    """The records in which to look for causes: of the requested tabs, from the beginning."""

    actions: Sequence[ActionRecord] = ()
    network: Sequence[NetworkRecord] = ()
    sockets: Sequence[SocketRecord] = ()
    opened: Sequence[Opened] = ()
    # When documents finished loading, by tab and navigation.
    loaded: Mapping[tuple[int, int], float] = field(factory=dict)
    # Logs of workers that belong to no tab: they show that the worker ran.
    logs: Sequence[LogRecord] = ()


@frozen
class Causes:
    """The loads and actions of all tabs in order, and what arrived in between."""

    _loads: dict[tuple[int, int], Try]
    _actions: dict[int, list[tuple[float, int, Try]]]
    _ends: dict[int, list[tuple[float, _Link]]]
    tries: tuple[Try, ...]
    _now: float

    @classmethod
    def among(cls, records: Records, now: float) -> "Causes":
        """Sort the records once, for all questions."""
        loads, restored = _loads(records)
        actions: dict[int, list[tuple[float, int, Try]]] = defaultdict(list)
        for action in sorted(records.actions, key=lambda action: action.ts):
            if action.type in ACTIONS:
                left = loads.get((action.source.tab_id, action.source.navigation))
                one = Try(cause=action_of(action), ts=action.ts, until=left.until if left else None)
                actions[action.source.tab_id].append((action.ts, action.source.navigation, one))
        done = (one for each in actions.values() for _, _, one in each)
        tries = (*(one for key, one in loads.items() if key not in restored), *done, *_workers(records))
        newest = sorted(tries, key=lambda one: one.ts, reverse=True)
        return cls(loads, actions, _ends(records), tuple(newest), now)

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
                if tab_id == record.source.tab_id and one.cause.path == path and one.ts >= record.ts - _CLOCK_SECONDS
            ]
            if loads:
                return (_Root(min(loads, key=lambda one: one.ts)),)
        return self._roots(record.source, record.ts, record.during)

    def _roots(self, source: Source, ts: float, during: float | None, links: int = 0) -> tuple[_Root, ...]:
        if not source.tab_id:
            return (_Root(Try(cause=_worker(source), ts=ts)),)
        if during is not None:
            return (_Root(self._handled(source, during)),)
        if links < _LINKS and (link := self._just_arrived(source, ts)) is not None:
            roots = self._roots(link.source, link.ts, link.during, links + 1)
            return tuple(_through(root, link.name, ts) for root in roots)
        load = self._load_of(source)
        after_load = _Root(load, _seconds_since(load, ts))
        actions = self._actions.get(source.tab_id, [])
        earlier = actions[: bisect_right(actions, ts + _CLOCK_SECONDS, key=lambda action: action[0])]
        in_document = [one for _, navigation, one in earlier if navigation == source.navigation]
        recent = [one for one in in_document if ts - one.ts <= limits.ACTION_EFFECT_SECONDS]
        after_action = tuple(
            _Root(one, _seconds_since(one, ts), guessed_after=load.ts) for one in _distinct(recent or in_document[-1:])
        )
        at_rest = bool(recent) and recent[0].ts - load.ts >= limits.LOAD_REST_SECONDS
        return after_action if at_rest else (after_load, *after_action)

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

    def _just_arrived(self, source: Source, ts: float) -> _Link | None:
        """What had just arrived when it happened."""
        ends = self._ends.get(source.tab_id, [])
        index = bisect_right(ends, ts + _CLOCK_SECONDS, key=lambda end: end[0])
        for end, link in reversed(ends[:index]):
            if ts - end > limits.CONTINUATION_SECONDS:
                return None
            if link.source.navigation == source.navigation and link.ts < ts:
                return link
        return None

    def _load_of(self, source: Source) -> Try:
        known = self._loads.get((source.tab_id, source.navigation))
        return known or Try(cause=load_of(path_of(source.url)), ts=0.0)


def _loads(records: Records) -> tuple[dict[tuple[int, int], Try], set[tuple[int, int]]]:
    """The documents of all tabs by number, and those restored from a cache, which loaded nothing."""
    loads: dict[tuple[int, int], Try] = {}
    restored = set()
    newest: dict[int, tuple[int, int]] = {}
    for record in sorted(records.actions, key=lambda record: record.seq):
        if record.type != "navigate" or record.fields.get("within_document"):
            continue
        key = record.source.tab_id, record.source.navigation
        before = newest.get(record.source.tab_id)
        if before is not None:
            loads[before] = evolve(loads[before], until=record.ts)
        loads[key] = Try(cause=load_of(path_of(str(record.fields.get("to_url", "")))), ts=record.ts)
        newest[record.source.tab_id] = key
        if record.fields.get("restored"):
            restored.add(key)
    for key, ts in records.loaded.items():
        if key in loads:
            loads[key] = evolve(loads[key], loaded=ts)
    return loads, restored


def _ends(records: Records) -> dict[int, list[tuple[float, _Link]]]:
    """When responses and messages arrived, by tab and in order."""
    ends: dict[int, list[tuple[float, _Link]]] = defaultdict(list)
    for record in records.network:
        if record.type in _FETCHED and record.duration_ms is not None:
            # A script's name contains a hash, which differs after each change.
            name = "" if record.type == "Script" else endpoint_of(record.method, record.url)
            link = _Link(name, record.source, record.ts, record.during)
            ends[record.source.tab_id].append((record.ts + record.duration_ms / 1000, link))
    opened = {socket.id: socket for socket in records.opened}
    for event in records.sockets:
        socket = opened.get(event.connection_id)
        if socket is not None:
            # An open socket sends whatever it likes at any time.
            name = "" if event.event == "message" else socket_name(socket.url, socket.source.url)
            link = _Link(name, socket.source, socket.ts, socket.during)
            ends[event.source.tab_id].append((event.ts, link))
    for each in ends.values():
        each.sort(key=lambda end: end[0])
    return ends


def _through(root: _Root, via: str, ts: float) -> _Root:
    """The root as reached through `via`.

    After an action it is enough that `via` ends again; after a load, time counts.
    """
    waits = not via or root.one.cause.kind == "load"
    return evolve(root, via=via, seconds=_seconds_since(root.one, ts) if waits else 0.0)


def _seconds_since(one: Try, ts: float) -> float:
    """Seconds after an action, or after a load was complete."""
    begun = one.loaded if one.cause.kind == "load" else one.ts
    return max(0.0, ts - begun) if begun is not None else 0.0


def _workers(records: Records) -> Iterable[Try]:
    """Workers that belong to no tab count as running when their last record arrived."""
    newest: dict[Cause, Try] = {}
    worker_logs = [(record.source, record.ts) for record in records.logs]
    for source, ts in (*worker_logs, *((record.source, record.ts) for record in records.network)):
        if not source.tab_id:
            one = Try(cause=_worker(source), ts=ts)
            newest[one.cause] = max(one, newest.get(one.cause, one), key=lambda one: one.ts)
    return newest.values()


def socket_name(url: str, page: str = "") -> str:
    """Identifies the sockets of a page: a path of its own server on any port, or a path elsewhere."""
    host = origin_of(url).partition("://")[2]
    elsewhere = "" if not page or host == origin_of(page).partition("://")[2] else host
    return f"WebSocket {elsewhere}{without_ids(path_of(url))}"


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


def _worker(source: Source) -> Cause:
    return Cause(kind="worker", path=without_ids(path_of(source.url)))
