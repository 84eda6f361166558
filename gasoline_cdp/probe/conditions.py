"""Keeps the conditions in force in every tab, frame and worker, also in those that open later."""

import time
from collections import deque

import trio
from attrs import define, field

from gasoline_cdp import pilot_limits
from gasoline_cdp.analysis.conditions.settings import NORMAL, Settings
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.emulation import Command, commands_for
from gasoline_cdp.probe.mocking import Mocking
from gasoline_cdp.records import TargetKind

# What another session of the same process brought into force holds for this one, too.
_SHARED = "Another locale override is already in effect"


@define
class _Work:
    """What a change has done so far, in how many targets, and what Chrome refused."""

    settings: Settings
    begun: int = 0
    done: int = 0
    refused: dict[str, None] = field(factory=dict)


class Conditions:
    """The same for all tabs. While none is in force, nothing is sent to Chrome."""

    def __init__(self) -> None:
        self.settings = NORMAL
        self.mocking = Mocking()
        self._targets: dict[Session, TargetKind] = {}
        # The browser contexts of the targets, for permissions.
        self._contexts: dict[Session, str] = {}
        self._listened: set[Session] = set()
        # Since when which conditions were in force.
        self._past: deque[tuple[float, tuple[str, ...]]] = deque([(0.0, ())], pilot_limits.CONDITIONS_REMEMBERED)

    @property
    def words(self) -> tuple[str, ...]:
        """The conditions in force, in words."""
        return self._past[-1][1]

    def since(self, ts: float) -> tuple[str, ...]:
        """All conditions in force at some time since then, each set with its own words."""
        later = [words for began, words in self._past if began > ts]
        before = [words for began, words in self._past if began <= ts]
        seen = dict.fromkeys("; ".join(words) for words in (*before[-1:], *later))
        return tuple(seen) if seen != {"": None} else ()

    def shared_workers(self) -> int:
        """How many shared workers are open: Chrome lets nobody answer their requests."""
        return sum(kind == "shared_worker" for kind in self._targets.values())

    def adopt(self, session: Session, target: Target) -> None:
        """A target was attached. Only posts commands, before its first script runs."""
        self._targets[session] = target.kind
        self._contexts[session] = target.browser_context_id
        if self.settings is NORMAL:
            return
        for method, params in self._commands(session, self.settings.changed(NORMAL)):
            session.post(method, params)
        if self.settings.permissions:
            for method, params in self._permissions(target.browser_context_id):
                session.connection.root.post(method, params)

    def gone(self, session: Session) -> None:
        """A target was closed."""
        for kept in (self._targets, self._contexts):
            kept.pop(session, None)
        self._listened.discard(session)
        if self.settings.locale:
            # If the session had it for its process, the others there have lost it.
            for other in self._targets:
                other.post("Emulation.setLocaleOverride", {"locale": self.settings.locale})

    async def change(self, settings: Settings) -> int:
        """Bring these into force instead, all or none. Returns how many pages and frames did not take over in time."""
        before = self.settings
        left, refused = await self._change(settings)
        if refused and self.settings is settings:
            await self._change(before)
            message = f"Chrome refused it, so nothing was changed: {'; '.join(refused)}."
            raise GasolineError(Code.INVALID_PARAMS, message, problems=refused)
        return left

    async def _change(self, settings: Settings) -> tuple[int, list[str]]:
        names = settings.changed(self.settings)
        self._remember(settings)
        work = _Work(settings)
        with trio.move_on_after(pilot_limits.CONDITIONS_SECONDS):
            async with trio.open_nursery() as nursery:
                for session, context in self._asked_for_permissions(names):
                    nursery.start_soon(self._apply, session.connection.root, self._permissions(context), work)
                for session in list(self._targets):
                    nursery.start_soon(self._apply, session, self._commands(session, names), work)
        return work.begun - work.done, list(work.refused)

    async def _apply(self, session: Session, commands: list[Command], work: "_Work") -> None:
        work.begun += 1
        for method, params in commands:
            if self.settings is not work.settings:
                # Ended meanwhile.
                return
            if session.stoppable:
                # A worker that has stopped answers when it runs again.
                session.post(method, params)
                continue
            try:
                await session.send(method, params)
            except CdpError as error:
                if error.message.rstrip(".") != _SHARED:
                    work.refused[f"{method}: {error.message}"] = None
            except CdpClosed:
                break
        work.done += 1

    def end(self) -> None:
        """Back to how the browser is by itself, at once. Sends what undoes our own work, and nothing else."""
        names = NORMAL.changed(self.settings)
        if not names:
            return
        self._remember(NORMAL)
        for session in self._targets:
            for method, params in self._commands(session, names):
                session.post(method, params)
        for session, context in self._asked_for_permissions(names):
            for method, params in self._permissions(context):
                session.connection.root.post(method, params)

    def _remember(self, settings: Settings) -> None:
        self.settings = settings
        self._past.append((time.time(), tuple(settings.words())))
        self.mocking.use(settings.mocks)

    def _commands(self, session: Session, names: set[str]) -> list[Command]:
        commands = commands_for(names, self.settings, self._targets[session])
        if "mocks" in names and self.settings.mocks and session not in self._listened:
            self._listened.add(session)
            self.mocking.listen(session)
        for method, params in commands:
            if method.endswith("DeviceMetricsOverride"):
                session.device_metrics = params
        return commands

    def _asked_for_permissions(self, names: set[str]) -> list[tuple[Session, str]]:
        """One session of each browser context, if permissions are to change."""
        if "permissions" not in names:
            return []
        return list({(s.connection, context): (s, context) for s, context in self._contexts.items()}.values())

    def _permissions(self, context: str) -> list[Command]:
        of = {"browserContextId": context} if context else {}
        return [
            ("Browser.resetPermissions", of),
            *(
                ("Browser.setPermission", {"permission": {"name": name}, "setting": value, **of})
                for name, value in self.settings.permissions
            ),
        ]
