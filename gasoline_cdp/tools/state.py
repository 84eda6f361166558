"""`manage_state`: saves and restores a site's cookies and storage, to skip the same clicks next time."""

import re
from collections.abc import Iterator
from typing import Literal

from attrs import field, frozen

from gasoline_cdp import pilot_limits, wire
from gasoline_cdp.answers.amounts import clock, size
from gasoline_cdp.answers.arguments import tab_argument
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import quoted, word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.probe.storage import ReadState, read_state, restore_state
from gasoline_cdp.redact import safe_url
from gasoline_cdp.store.states import FrameStorage, SavedState

_NAME = re.compile(rf"[\w][\w .-]{{0,{pilot_limits.STATE_NAME_CHARS - 1}}}")
_REASON_CHARS = 300


@frozen(kw_only=True)
class StateArgs:
    """Arguments of manage_state."""

    action: Literal["save", "load", "list", "delete"] = wire.choice(
        "save: save cookies and storage; load: restore them; list: all saved states; delete: one of them"
    )
    snapshot_name: str | None = wire.arg(
        "Name of the saved state; every action but list needs it.", default=None, only=("save", "load", "delete")
    )
    include_url: bool = wire.arg("load: open the saved URL", default=True, only=("load",))
    tab_id: int | None = tab_argument(only=("save", "load"))


@frozen(kw_only=True)
class StateCounts:
    """Number of items of each kind."""

    localStorage: int  # noqa: N815 - the field names of the original tool
    sessionStorage: int  # noqa: N815
    cookies: int

    def words(self) -> str:
        """`3 in localStorage, 4 cookies`."""
        cookies = number_of(self.cookies, "cookie") if self.cookies else ""
        return ", ".join(filter(None, (_stored(self), cookies))) or "nothing"


@frozen(kw_only=True)
class FrameCounts:
    """Storage of the frames of one other origin."""

    origin: str
    localStorage: int  # noqa: N815
    sessionStorage: int  # noqa: N815


def _stored(counts: StateCounts | FrameCounts) -> str:
    kinds = {"localStorage": counts.localStorage, "sessionStorage": counts.sessionStorage}
    return ", ".join(f"{count} in {kind}" for kind, count in kinds.items() if count)


@frozen(kw_only=True)
class FrameMissed:
    """An origin whose frame could not be restored. Its storage is unchanged."""

    origin: str
    reason: str


@frozen(kw_only=True)
class StateEntry:
    """A saved state. Its contents are never shown."""

    name: str
    url: str
    timestamp: str
    size_bytes: int

    def line(self) -> Line:
        """`14:03:22 "logged in" 1.25KB http://…`."""
        return Line(f"{size(self.size_bytes)} {word(self.url)}", time=clock(self.timestamp), tag=word(self.name))


@frozen(kw_only=True)
class StateAnswer:
    """What was done."""

    success: bool
    snapshot_name: str = ""
    size_bytes: int | None = None
    saved: StateCounts | None = None
    restored: StateCounts | None = None
    # Cookies that have expired since they were saved.
    expired_cookies: int = 0
    # Storage of frames of other origins that was saved or restored, too.
    frames: list[FrameCounts] = field(factory=list)
    frames_missed: list[FrameMissed] = field(factory=list)
    url: str = ""
    # Databases of the page. They are listed, but not part of the state.
    indexed_db: list[str] = field(factory=list)
    note: str = ""

    def render(self) -> Iterator[Line]:
        """What was saved, restored or deleted, and what was not."""
        done = "Saved" if self.saved else "Restored" if self.restored else "Deleted"
        counts = self.saved or self.restored
        words = (
            word(self.snapshot_name),
            f"({size(self.size_bytes)})" if self.size_bytes is not None else "",
            f"of {word(self.url)}" if self.url else "",
        )
        contents = f": {counts.words()}" if counts else ""
        tag = done if self.success else f"Not {done.lower()}:"
        yield Line(" ".join(filter(None, words)) + contents, tag=tag, tone="heading")
        if self.expired_cookies:
            yield Line(f"{number_of(self.expired_cookies, 'cookie')} had expired.", tone="warning")
        for frame in self.frames:
            yield Line(f"{word(frame.origin)}: {_stored(frame) or 'nothing'}", tag="frame", depth=1)
        for missed in self.frames_missed:
            yield Line(
                f"{word(missed.origin)} not restored: {quoted(missed.reason, _REASON_CHARS)}",
                tag="frame",
                depth=1,
                tone="warning",
            )
        if self.indexed_db:
            yield Line(" ".join(map(word, self.indexed_db)), tag="IndexedDB", depth=1)
        if self.note:
            yield note(self.note)


@frozen(kw_only=True)
class StateList:
    """The saved states, newest first."""

    summary: str
    snapshots: list[StateEntry]

    def render(self) -> Iterator[Line]:
        """One line per state."""
        yield Line(self.summary, tone="heading")
        for entry in self.snapshots:
            yield entry.line()


async def manage_state(args: StateArgs, context: Context) -> StateAnswer | StateList:
    """Save, load, list or delete. Only save and load use the browser."""
    if args.action == "list":
        entries = [_entry(state) for state in context.states.newest()]
        return StateList(summary=f"{number_of(len(entries), 'state')} saved, in memory only.", snapshots=entries)
    name = _checked(args.snapshot_name)
    if args.action == "delete":
        context.states.delete(name)
        return StateAnswer(success=True, snapshot_name=name)
    tab = context.tabs.pick(args.tab_id)
    if args.action == "save":
        read = await read_state(tab, name)
        state = read.state
        context.states.save(state)
        return StateAnswer(
            success=True,
            snapshot_name=name,
            size_bytes=state.size,
            saved=StateCounts(
                localStorage=state.local_items, sessionStorage=state.session_items, cookies=len(state.cookies)
            ),
            url=safe_url(state.url, 300),
            frames=[_frame(frame) for frame in state.frames],
            indexed_db=read.databases,
            note=_left_out(read),
        )
    state = context.states.get(name)
    if context.conditions.settings.mocks:
        # Both would answer the requests of the frames that hold the state.
        message = (
            "A state cannot be loaded while mocks are in force. End them with set_conditions(mocks=[]), then load it."
        )
        raise GasolineError(Code.INVALID_PARAMS, message, problems=["mocks are in force"])
    done = await restore_state(tab, state, go_there=args.include_url)
    context.capture.say("info", f"An assistant restored the saved state {name!r}.", tab.source)
    return StateAnswer(
        success=True,
        snapshot_name=name,
        restored=StateCounts(localStorage=done.local_items, sessionStorage=done.session_items, cookies=done.cookies),
        expired_cookies=done.expired,
        frames=[_frame(frame) for frame in state.frames if frame not in [one.storage for one in done.missed]],
        frames_missed=[FrameMissed(origin=safe_url(one.storage.origin), reason=one.reason) for one in done.missed],
        url=safe_url(state.url, 300),
        note="The page loads again now." if args.include_url else "The page was not reloaded.",
    )


def _frame(frame: FrameStorage) -> FrameCounts:
    return FrameCounts(
        origin=safe_url(frame.origin), localStorage=frame.local_items, sessionStorage=frame.session_items
    )


def _left_out(read: ReadState) -> str:
    parts = [
        "IndexedDB is listed, not saved." if read.databases else "",
        f"Left out, without an answer: {number_of(read.silent_frames, 'frame')}. Save again to try once more."
        if read.silent_frames
        else "",
    ]
    return " ".join(part for part in parts if part)


def _entry(state: SavedState) -> StateEntry:
    return StateEntry(name=state.name, url=safe_url(state.url, 300), timestamp=iso(state.ts), size_bytes=state.size)


def _checked(name: str | None) -> str:
    if name is None or not _NAME.fullmatch(name):
        problem = (
            f"snapshot_name must have 1 to {pilot_limits.STATE_NAME_CHARS} letters, digits, spaces, dots, - or _, "
            "the first a letter or a digit"
        )
        raise GasolineError(Code.INVALID_PARAMS, f"Cannot use these arguments: {problem}.", problems=[problem])
    return name


TOOLS = (
    Tool(
        name="manage_state",
        title="Save and restore page state",
        description="Needs the pilot. Save and restore a site's cookies and web storage, to skip log-ins.",
        args=StateArgs,
        answer=StateAnswer,
        run=manage_state,
        needs=Needs(pilot=True, deadline=pilot_limits.STATE_SECONDS + 10),
        read_only=False,
    ),
)
