"""Records of user actions and of what pages show afterwards, from the reports of our observers.

Only events that the browser marks as trusted are reported: input of people, or of a program that drives the browser
like a person (the Input domain). Clicks and submits by a page's own script are no actions.
"""

import hashlib
import math
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio
from attrs import define, evolve, frozen

from gasoline_cdp import limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.action_reports import Action, parse_action, parse_dom_snapshot, parse_held, shown_text
from gasoline_cdp.capture.backlog import Backlog
from gasoline_cdp.capture.roles import Held, Role, Roles
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.records import ActionRecord, Source
from gasoline_cdp.store.telemetry import Telemetry

# An event of the page and our own clock differ by less than this.
_CLOCK_SECONDS = 0.01
# Steps of assistants that are remembered until their actions have been reported.
_DRIVEN = 200

# The kinds of report that `Actions.reported` handles.
ACTION_KINDS = ("action", "held")


@frozen(eq=False)
class _Job:
    """An element to ask the browser about: of the action with this number, or about to be acted on.

    Empty: only wake up.
    """

    held: Held | None = None
    acted: ActionRecord | None = None


@define(eq=False)
class _Driven:
    """When an assistant acted in a tab."""

    tab_id: int
    begin: float
    end: float = math.inf

    def covers(self, action: Action, source: Source) -> bool:
        """Whether an action happened then and there."""
        begin, end = self.begin - _CLOCK_SECONDS, self.end + _CLOCK_SECONDS
        return source.tab_id == self.tab_id and begin <= action.ts <= end


class Actions:
    """All actions of all pages, in the order of their reports."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry
        self._roles = Roles()
        self.backlog: Backlog[_Job] = Backlog(limits.ACTION_BACKLOG)
        self._driven: deque[_Driven] = deque(maxlen=_DRIVEN)
        # The last known address of each tab.
        self._addresses: BoundedDict[int, str] = BoundedDict(limits.TABS_REMEMBERED)

    @property
    def without_role(self) -> int:
        """Number of actions whose element the browser was not asked about, or gave no answer for."""
        return self._roles.skipped + self.backlog.skipped

    def reported(self, report: Params, source: Source, session: Session, context_id: object) -> None:
        """The observer in a page reports an action, or an element that is about to be acted on."""
        held = parse_held(report, session, context_id)
        if report.get("kind") == "held":
            if held is not None:
                self._roles.ready(held)
                if report.get("pressed") is True:
                    self.backlog.offer(_Job(held))
        elif (action := parse_action(report, time.time())) is not None:
            record = self._store(action, source)
            if held is not None:
                self.backlog.offer(_Job(held, record))

    def opened(self, source: Source) -> None:
        """A tab is open: its first navigation starts from this address."""
        self._addresses[source.tab_id] = source.url

    def navigated(
        self, source: Source, to_url: str, *, within_document: bool = False, restored: bool = False, how: str = ""
    ) -> None:
        """A tab shows another address, by a navigation or the history API. The URL is already safe.

        `how` is "reload" or "address" where the browser was told to, not by the page, and "history" where either of
        them may have been it. A document `restored` from the back/forward cache continues where it was, and loads
        nothing.
        """
        # Do not use the tab's URL: Chrome may have announced the new address before the navigation.
        from_url = self._addresses.get(source.tab_id, "")
        self.opened(evolve(source, url=to_url))
        if within_document and from_url == to_url:
            return
        fields = {"from_url": from_url, "to_url": to_url, "within_document": within_document}
        if restored:
            fields["restored"] = True
        if how:
            fields["how"] = how
        self._store(Action(type="navigate", ts=time.time(), url="", selectors={}, fields=fields), source)

    def answered(self, source: Source, dialog: str, message: str, *, accepted: bool, text: str) -> None:
        """A dialog was closed, by a person or by us. All texts are already safe."""
        fields = {"dialog": dialog, "message": message, "accepted": accepted, **({"text": text} if text else {})}
        self._store(Action(type="dialog", ts=time.time(), url="", selectors={}, fields=fields), source)

    def downloads(self, source: Source, params: Params) -> None:
        """A page begins a download."""
        fields = {"filename": shown_text(params.get("suggestedFilename")) or ""}
        self._store(Action(type="download", ts=time.time(), url="", selectors={}, fields=fields), source)

    def script_ran(self, source: Source, script: str) -> None:
        """An assistant runs a script in a page. It may do anything, so it counts as an action.

        The text is not kept: it may contain secrets that no pattern matches. A short digest tells whether the same
        script ran again.
        """
        digest = hashlib.sha256(script.encode(errors="replace")).hexdigest()[:8]
        fields = {"script": digest, "characters": len(script)}
        self._store(Action(type="script", ts=time.time(), url="", selectors={}, fields=fields, by="ai"), source)

    @contextmanager
    def driving(self, tab_id: int) -> Iterator[None]:
        """Around input of an assistant: actions in the tab at that time are its own."""
        driven = _Driven(tab_id, time.time())
        self._driven.append(driven)
        try:
            yield
        finally:
            driven.end = time.time()

    def showed(self, report: Params, source: Source) -> None:
        """The observer in a page reports what the page shows after a change."""
        snapshot = parse_dom_snapshot(report, time.time(), self._telemetry.next_seq(), source)
        if snapshot is not None:
            self._telemetry.add(snapshot)

    def tree_built(self, session: Session) -> None:
        """Another query made Chrome build an accessibility tree; release it together with those built for actions."""
        self._roles.built(session)
        # Wake the task that releases trees.
        self.backlog.offer(_Job())

    async def run(self) -> None:
        """Ask about one element at a time, until cancelled. Now and then release what Chrome keeps for us."""
        while True:
            with trio.move_on_after(self._roles.seconds_to_release()) as waiting:
                job = await self.backlog.receive()
            if waiting.cancelled_caught:
                self._roles.release()
                continue
            if job.held is not None:
                await self._ask(job.held, job.acted)
            self.backlog.done(job)

    async def _ask(self, held: Held, acted: ActionRecord | None) -> None:
        if acted is None:
            await self._roles.learn(held)
        elif (role := await self._roles.take(held)) is not None:
            # In the order in which a test prefers them.
            first = {name: value for name, value in acted.selectors.items() if name == "test_id"}
            # What the browser says needs no presuming.
            others = {name: value for name, value in acted.selectors.items() if name != "presumed"}
            self._telemetry.annotate(acted.seq, {"selectors": {**first, **_named(role, acted), **others}})

    def _store(self, action: Action, source: Source) -> ActionRecord:
        if any(driven.covers(action, source) for driven in self._driven):
            action = evolve(action, by="ai")
        record = action.record(self._telemetry.next_seq(), source)
        self._telemetry.add(record)
        return record


def _named(role: Role, acted: ActionRecord) -> dict[str, Any]:
    """Role and name of an element; if others have the same, together with the container that tells them apart."""
    if acted.fields.get("input_type") == "password":
        # It has a role for Chrome, but for no test runner.
        return {}
    if not role.shared:
        return {"role": {"role": role.role, "name": role.name}}
    container = acted.selectors.get("container") or {}
    if container.get("alike") != 1:
        return {}
    return {"within": {"role": role.role, "name": role.name, "container": container["role"], "text": container["text"]}}
