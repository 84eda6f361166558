"""What came of each step: the calls of the page, the texts that came and went, the messages that brought them."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from attrs import evolve

from gasoline_cdp.analysis.flows.causes import RequestCauses
from gasoline_cdp.analysis.flows.counters import COUNTED, Counters
from gasoline_cdp.analysis.flows.drafts import Draft, FlowRecords
from gasoline_cdp.analysis.flows.flow import Call, ShownText, Step
from gasoline_cdp.analysis.flows.outlines import FEWEST, Outline, outline_of, without_known_messages
from gasoline_cdp.analysis.flows.volatile import SeenTexts, is_volatile, texts_of
from gasoline_cdp.analysis.normalise import origin_of, without_ids
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.records import DomSnapshotRecord, LogRecord, NetworkRecord, SocketRecord

# A request belongs to the latest action before it, for this long; to a load, for longer.
_CALL_SECONDS = 2.0
_LOAD_SECONDS = 5.0
# The clocks of a page and of Chrome differ by less than this.
_CLOCK_SECONDS = 0.01
# A pause that a reader should know of.
_PAUSE_SECONDS = 2.0
_CALLS = frozenset({"Fetch", "XHR"})
_LOADS = frozenset({"open", "back", "forward", "reload"})
_TEXTS_PER_STEP = 4
_CALLS_PER_STEP = 8
_MESSAGES_PER_STEP = 2
_MISSING = 20
# The browser asks for it, not the page: no test minds that it fails.
_ICON = "/favicon.ico"
# Such calls change nothing on a server.
# The step that sends a form and loads the next page begins this long before its request, at most.
_LOGIN_SECONDS = 1.5
_READS = frozenset({"GET", "HEAD", "OPTIONS"})
# A call this soon after an answer is made because of it: a list is loaded again.
_CHAIN_SECONDS = 0.1
# Of these the browser says "Failed to load resource".
_LOGGED = frozenset({"http_error", "failed", "blocked", "cors_blocked"})


def add_calls(drafts: list[Draft], records: FlowRecords, causes: RequestCauses) -> None:
    """Give each call to the step that it belongs to."""
    by_page: dict[int, list[Draft]] = {}
    for draft in drafts:
        by_page.setdefault(draft.record.source.tab_id, []).append(draft)
    chosen: list[tuple[Draft | None, NetworkRecord, Call]] = []
    # When each step had its last answer.
    answered: dict[int, float] = {}
    for record in sorted(records.network, key=lambda record: record.ts):
        mine = by_page.get(record.source.tab_id)
        status = record.page_status
        if not mine or record.type not in _CALLS or record.preflight_for or record.outcome == "redirect":
            continue
        if status is None or record.before_attach:
            continue
        call = Call(
            method=record.method,
            origin=origin_of(record.url),
            path=without_ids(path_of(record.url)),
            status=status,
            shape=records.shape_of(record),
        )
        owner = _owner(mine, record, causes, answered)
        if owner is not None and record.duration_ms is not None:
            answered[id(owner)] = max(answered.get(id(owner), 0.0), record.ts + record.duration_ms / 1000)
        chosen.append((owner, record, call))
    # What also comes when nobody does anything is no effect of an action.
    alone = Counter(call.name for owner, _, call in chosen if owner is None)
    for owner, record, call in chosen:
        if owner is None or (alone[call.name] >= 2 and record.during is None):
            continue
        if any(known.name == call.name for known in owner.calls):
            continue
        is_late = record.during is None and _is_saved_late(owner, call, by_page[record.source.tab_id])
        if len(owner.calls) < _CALLS_PER_STEP and not is_late:
            # Of a document that is left, the answer can no longer be read.
            is_left = owner.step.loads and record.source.navigation == owner.record.source.navigation
            owner.calls.append(evolve(call, shape=None) if is_left else call)
        else:
            owner.others.append(call.name)


def _is_saved_late(owner: Draft, call: Call, mine: list[Draft]) -> bool:
    """Whether a page may still be saving what was typed before: a test types all at once, so there is nothing left."""
    index = next(index for index, draft in enumerate(mine) if draft is owner)
    before = mine[index - 1] if index else None
    return before is not None and before.step.kind == "fill" and any(known.name == call.name for known in before.calls)


def _owner(mine: list[Draft], record: NetworkRecord, causes: RequestCauses, answered: dict[int, float]) -> Draft | None:
    """The step that a request belongs to: the one whose event the page was handling, or the latest before it."""
    if record.during is not None and (action := causes.of_event(record.source.tab_id, record.during)):
        return next((draft for draft in mine if action.seq in draft.numbers), None) or _latest(mine, action.ts)
    owner = _latest(mine, record.ts)
    if owner is None:
        first = mine[0].step
        return mine[0] if first.kind == "open" and first.ts - record.ts < _LOAD_SECONDS else None
    loads = owner.step.kind in _LOADS or bool(owner.step.url_after)
    if record.ts - owner.ends <= (_LOAD_SECONDS if loads else _CALL_SECONDS):
        return owner
    return owner if 0 <= record.ts - answered.get(id(owner), 0.0) <= _CHAIN_SECONDS else None


def _latest(mine: list[Draft], ts: float) -> Draft | None:
    index = bisect_right(mine, ts + _CLOCK_SECONDS, key=lambda draft: draft.begin) - 1
    return mine[index] if index >= 0 else None


def with_effects(drafts: list[Draft], records: FlowRecords, causes: RequestCauses) -> list[Step]:
    """The finished steps. Scrolling that led to nothing is left out."""
    seen = SeenTexts(records.snapshots)
    changes = _changes(records.snapshots, causes)
    counters = _counters(drafts, changes)
    written = _first_write(drafts, records.network)
    for shot in records.snapshots:
        for text in texts_of(shot) if shot.ts <= written else ():
            counters.show(text)
    tabs = {draft.step.page: draft.record.source.tab_id for draft in reversed(drafts)}
    steps = []
    checked: set[str] = set()
    for index, draft in enumerate(drafts):
        tab = draft.record.source.tab_id
        until = next((other.begin for other in drafts[index + 1 :]), float("inf"))
        acted = _changed_by(draft, changes)
        between = _between(records.snapshots, tab, draft.step.ts, until)
        loads = [shot for shot in between if shot.trigger == "load"]
        is_new = bool(loads) and loads[-1].ts > written
        marked = counters.mark_new if is_new else partial(counters.mark, wrote=_wrote(draft))
        shows = _shown(between, acted, seen, marked)
        # What an action changed in a document that was then left says nothing; what the new one shows does.
        outlined = loads[-1] if loads and draft.step.url_after else None if loads else acted
        messages = _messages(records.sockets, tab, draft.step.ts, min(until, draft.step.ts + _CALL_SECONDS), shows)
        step = evolve(
            draft.step,
            calls=tuple(draft.calls),
            other_calls=tuple(draft.others),
            shows=tuple(shows),
            outline=without_known_messages(_outline(outlined, seen, marked) if outlined else None, checked),
            opened_shows=_shown_by(draft, drafts, tabs, records, seen),
            messages=tuple(messages),
            pause=draft.step.pause if draft.step.pause > _PAUSE_SECONDS else 0.0,
        )
        checked.update(shown.text for shown in step.shows)
        checked.update(step.outline.texts if step.outline else ())
        if step.kind != "scroll" or step.calls or step.shows or step.outline:
            steps.append(step)
    return steps


def _outline(shot: DomSnapshotRecord, seen: SeenTexts, marked: Callable[[str], str]) -> Outline | None:
    """Of a page that was loaded, a single text is not checked otherwise."""
    return outline_of(shot.outline, seen.left_out(shot), marked, fewest=1 if shot.trigger == "load" else FEWEST)


def _shown_by(
    draft: Draft, drafts: list[Draft], tabs: dict[int, int], records: FlowRecords, seen: SeenTexts
) -> tuple[ShownText, ...]:
    """What the page that a step opened showed before anything was done in it."""
    page = draft.step.opens
    if page is None or page not in tabs:
        return ()
    until = next((other.begin for other in drafts if other.step.page == page), float("inf"))
    return tuple(_shown(_between(records.snapshots, tabs[page], draft.begin, until), None, seen, str))


def _wrote(draft: Draft) -> bool:
    """Whether a step changed something on a server."""
    names = (*(call.name for call in draft.calls), *draft.others)
    return any(name.partition(" ")[0] not in _READS for name in names)


def _first_write(drafts: list[Draft], network: Iterable[NetworkRecord]) -> float:
    """When something was first sent that may have changed what later pages show. A login changes nothing."""
    secrets = [draft.step.ts for draft in drafts if draft.step.secret]
    loads = [draft.step.ts for draft in drafts if draft.step.loads or draft.step.kind == "open"]
    tabs = {draft.record.source.tab_id for draft in drafts}
    for record in sorted(network, key=lambda record: record.ts):
        if record.source.tab_id not in tabs or record.method in _READS or record.type not in {"Document", *_CALLS}:
            continue
        # The page that it was sent from.
        since = max((ts for ts in loads if ts < record.ts - _LOGIN_SECONDS), default=0.0)
        if record.ts >= drafts[0].begin and not any(since <= ts <= record.ts for ts in secrets):
            return record.ts
    return float("inf")


def _changed_by(draft: Draft, changes: dict[int, DomSnapshotRecord]) -> DomSnapshotRecord | None:
    return next((changes[part.seq] for part in reversed(draft.parts) if part.seq in changes), None)


def _counters(drafts: list[Draft], changes: dict[int, DomSnapshotRecord]) -> Counters:
    """What the steps that wrote to a server counted up."""
    counters = Counters()
    for draft in drafts:
        for text in (draft.step.value, *draft.step.values):
            counters.type(text)
        if _wrote(draft) and (shot := _changed_by(draft, changes)) is not None:
            texts = [(str(element.get("text", "")), element.get("role") == "gone") for element in shot.elements]
            gone = [text for text, is_gone in texts if is_gone]
            counters.learn(gone, [text for text, is_gone in texts if not is_gone])
    return counters


def _changes(snapshots: Iterable[DomSnapshotRecord], causes: RequestCauses) -> dict[int, DomSnapshotRecord]:
    """What each action changed: the last report of it."""
    changes: dict[int, DomSnapshotRecord] = {}
    for snapshot in sorted(snapshots, key=lambda snapshot: snapshot.seq):
        if snapshot.trigger == "action" and (action := causes.of_change(snapshot)) is not None:
            changes[action.seq] = snapshot
    return changes


def _between(snapshots: Iterable[DomSnapshotRecord], tab: int, begin: float, until: float) -> list[DomSnapshotRecord]:
    mine = [shot for shot in snapshots if shot.source.tab_id == tab and begin - _CLOCK_SECONDS <= shot.ts < until]
    return sorted(mine, key=lambda shot: shot.ts)


def _shown(
    mine: list[DomSnapshotRecord], acted: DomSnapshotRecord | None, seen: SeenTexts, marked: Callable[[str], str]
) -> list[ShownText]:
    loaded = next((shot for shot in reversed(mine) if shot.trigger == "load"), None)
    routed = next((shot for shot in reversed(mine) if shot.trigger == "history"), None)
    # What an action changed in a document that was then left says nothing.
    chosen = [loaded] if loaded else [shot for shot in (routed, acted) if shot]
    shows: dict[tuple[str, str], ShownText] = {}
    for snapshot in chosen:
        for shown in _stable(snapshot, seen, marked):
            shows.setdefault((shown.text, shown.value), shown)
    return list(shows.values())[:_TEXTS_PER_STEP]


def _stable(snapshot: DomSnapshotRecord, seen: SeenTexts, marked: Callable[[str], str]) -> Iterable[ShownText]:
    """What may be expected to be shown again."""
    for element in snapshot.elements:
        text, kind = str(element.get("text", "")), element.get("role")
        if is_volatile(text) or seen.differs(snapshot.source.url, str(element.get("selector"))):
            continue
        text = marked(text)
        if kind == "gone" and COUNTED in text:
            # Another number came in its place.
            continue
        if kind == "test_id":
            value, attribute = str(element.get("value", "")), str(element.get("attribute", ""))
            yield ShownText(text=text, kind="test_id", value=value, attribute=attribute)
        elif text:
            yield ShownText(text=text, kind="heading" if kind == "heading" else "text", gone=kind == "gone")


def _messages(
    sockets: Iterable[SocketRecord], tab: int, begin: float, until: float, shows: Sequence[ShownText]
) -> list[str]:
    """Messages of a socket that drove the page: what it showed afterwards was in them."""
    texts = [shown.text for shown in shows if shown.text and not shown.gone]
    texts_brought = []
    for event in sockets:
        if event.source.tab_id != tab or event.event != "message" or event.direction != "incoming":
            continue
        if begin <= event.ts < until and (text := next((text for text in texts if text in event.data), None)):
            texts_brought.append(text)
    return [*dict.fromkeys(texts_brought)][:_MESSAGES_PER_STEP]


def errors_since(logs: Iterable[LogRecord], family: Sequence[int], begin: float) -> list[str]:
    """Errors that these tabs logged since then, each once. For failed requests see `missing_since`."""
    texts = [
        record.text.splitlines()[0] if record.text else ""
        for record in sorted(logs, key=lambda record: record.ts)
        if record.level == "error"
        and record.kind in {"console", "exception", "rejection", "browser"}
        and not (record.kind == "browser" and record.text.startswith("Failed to load resource"))
        and record.source.tab_id in family
        and record.ts >= begin
    ]
    return [*dict.fromkeys(filter(None, texts))]


def missing_since(network: Iterable[NetworkRecord], family: Sequence[int], begin: float) -> list[str]:
    """Paths of requests that failed since then, each once."""
    paths = (
        path_of(record.url)
        for record in network
        if record.outcome in _LOGGED
        and record.source.tab_id in family
        and record.ts >= begin
        # A page that did not load was opened again.
        and not (record.type == "Document" and record.status is None)
    )
    paths = (path for path in paths if not path.endswith(_ICON))
    return [*dict.fromkeys(paths)][:_MISSING]
