"""A Chrome that obeys: it answers commands as the real one does, as far as the tests of the contract look.

`FakeTransport` says what a test makes it say. This one says what Chromium would, for the part of the protocol that we
build on: tests/browser/test_protocol_contract.py holds both to it.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field

from tests.fakes import FakeTransport

NO_SUCH_METHOD, INVALID, NO_SUCH_SESSION, SERVER_ERROR = -32601, -32602, -32001, -32000

_LOGGING = re.compile(r"console\.log\((\d+)\)")


@define(eq=False)
class _Target:
    """A page or a worker, with its sessions and whether it waits to be let go on."""

    target_id: str
    kind: str
    url: str
    # The session on which it was announced.
    parent: str = ""
    waiting: bool = False
    sessions: list[str] = field(factory=list)
    # What its script logs as soon as it runs.
    logs: list[int] = field(factory=list)


class FakeChrome(FakeTransport):
    """Pages and their workers, in flat sessions."""

    def __init__(self) -> None:
        super().__init__()
        self._targets: dict[str, _Target] = {}
        self._by_session: dict[str, _Target] = {}
        # The sessions that are told of new targets, and of which kinds.
        self._attaching: dict[str, set[str]] = {}
        self._console: set[str] = set()
        self._count = 0
        self._commands: dict[str, Callable[[dict[str, Any]], None]] = {
            "Target.setDiscoverTargets": self.answer,
            "Target.setAutoAttach": self._set_auto_attach,
            "Target.createTarget": self._create,
            "Target.closeTarget": self._close,
            "Target.attachToTarget": self._attach_to,
            "Target.detachFromTarget": self._detach_from,
            "Runtime.enable": self._enable_runtime,
            "Runtime.evaluate": self._evaluate,
            "Runtime.runIfWaitingForDebugger": self._resume,
            "Network.enable": self.answer,
            "Network.getResponseBody": self._response_body,
        }

    async def send(self, messages: Sequence[bytes]) -> None:
        before = len(self.sent)
        await super().send(messages)
        for command in self.sent[before:]:
            self._obey(command)

    def _obey(self, command: dict[str, Any]) -> None:
        session = command.get("sessionId", "")
        if session and session not in self._by_session:
            # Without its id: there is no session to say it on.
            self.say(
                {"id": command["id"], "error": {"code": NO_SUCH_SESSION, "message": "Session with given id not found."}}
            )
        elif obey := self._commands.get(command["method"]):
            obey(command)
        else:
            self.refuse(command, NO_SUCH_METHOD, f"'{command['method']}' wasn't found")

    def _name(self) -> str:
        self._count += 1
        return f"{self._count:032X}"

    # --- targets ----------------------------------------------------------------------------------

    def _set_auto_attach(self, command: dict[str, Any]) -> None:
        session = command.get("sessionId", "")
        self._attaching[session] = {kind["type"] for kind in command["params"]["filter"] if not kind.get("exclude")}
        if not session:
            for target in self._targets.values():
                if target.kind in self._attaching[""] and not any(name for name in target.sessions):
                    self._open_session(target)
        self.answer(command)

    def _create(self, command: dict[str, Any]) -> None:
        target = self._open_target("page", command["params"]["url"])
        self.answer(command, {"targetId": target.target_id})

    def _open_target(self, kind: str, url: str, parent: str = "") -> _Target:
        target = _Target(self._name(), kind, url, parent)
        self._targets[target.target_id] = target
        if kind in self._attaching.get(parent, ()):
            target.waiting = True
            self._open_session(target)
        return target

    def _open_session(self, target: _Target) -> str:
        session = self._name()
        target.sessions.append(session)
        self._by_session[session] = target
        self.attach(session, target.target_id, target.kind, target.parent, waiting=target.waiting, url=target.url)
        return session

    def _attach_to(self, command: dict[str, Any]) -> None:
        if target := self._targets.get(command["params"]["targetId"]):
            self.answer(command, {"sessionId": self._open_session(target)})
        else:
            self.refuse(command, INVALID, "No target with given id found")

    def _detach_from(self, command: dict[str, Any]) -> None:
        session = command["params"]["sessionId"]
        if session in self._by_session:
            self._end_session(session)
            self.answer(command)
        else:
            self.refuse(command, INVALID, "No session with given id")

    def _end_session(self, session: str) -> None:
        target = self._by_session.pop(session)
        target.sessions.remove(session)
        self.detach(session, target.target_id, target.parent)

    def _close(self, command: dict[str, Any]) -> None:
        target = self._targets.get(command["params"]["targetId"])
        if target is None:
            self.refuse(command, INVALID, "No target with given id found")
            return
        # It says so first, and does it then.
        self.answer(command, {"success": True})
        self._end_target(target)

    def _end_target(self, target: _Target) -> None:
        del self._targets[target.target_id]
        for session in list(target.sessions):
            self._end_session(session)

    # --- what runs in them ------------------------------------------------------------------------

    def _enable_runtime(self, command: dict[str, Any]) -> None:
        session = command["sessionId"]
        self._console.add(session)
        self.event("Runtime.executionContextCreated", {"context": {"id": 1, "origin": "", "name": ""}}, session)
        self.answer(command)

    def _log(self, target: _Target, number: int) -> None:
        params = {"type": "log", "args": [{"type": "number", "value": number, "description": str(number)}]}
        for session in target.sessions:
            if session in self._console:
                self.event("Runtime.consoleAPICalled", {**params, "executionContextId": 1, "timestamp": 1.0}, session)

    def _resume(self, command: dict[str, Any]) -> None:
        target = self._by_session[command["sessionId"]]
        self.answer(command)
        target.waiting = False
        while target.logs:
            self._log(target, target.logs.pop(0))

    def _evaluate(self, command: dict[str, Any]) -> None:
        """Of JavaScript it knows the three lines that the contract is written with."""
        session, expression = command["sessionId"], command["params"].get("expression")
        page = self._by_session[session]
        if not isinstance(expression, str):
            self.refuse(command, INVALID, "Invalid parameters")
            return
        logged = [int(number) for number in _LOGGING.findall(expression)]
        if "new Worker(" in expression:
            self.answer(command, {"result": {"type": "undefined"}})
            self._open_target("worker", "blob:null/x", session).logs = logged
            return
        if ".terminate()" in expression:
            self.answer(command, {"result": {"type": "undefined"}})
            for worker in [target for target in self._targets.values() if target.parent == session]:
                self._end_target(worker)
            return
        for number in logged:
            self._log(page, number)
        self.answer(command, {"result": {"type": "undefined"}})

    def _response_body(self, command: dict[str, Any]) -> None:
        self.refuse(command, SERVER_ERROR, "No resource with given identifier found")
