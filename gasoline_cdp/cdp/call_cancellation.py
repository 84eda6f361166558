"""Stops a function of ours that still runs in a page after its caller was cancelled, and nothing else."""

import secrets
from types import TracebackType
from typing import Any

import orjson
import trio

from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import Params, Session


class Running:
    """Around one call of a function in a context: `wrap` the function, pass `token` first, wait inside the block.

    The wrapped function reports immediately when it begins and when it returns, so we know whether it holds the page's
    thread. In a world without the binding it reports nothing, and is left alone.
    """

    def __init__(self, session: Session, context_id: int) -> None:
        self.token = secrets.token_hex(8)
        self._session = session
        self._context_id = context_id
        self._begun = False
        self._returned = False

    def wrap(self, function: str) -> str:
        """The function expression to call instead of the given one."""
        return f"({page_script('call')})({function})"

    def __enter__(self) -> None:
        self._listening = self._session.listening("Runtime.bindingCalled", self._on_report)
        self._listening.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listening.__exit__(kind, error, trace)
        if isinstance(error, trio.Cancelled):
            self._stop()

    def _on_report(self, params: Params) -> None:
        # Nobody else knows the token, so no other report can be mistaken for ours.
        payload: Any = params.get("payload", "")
        if self.token in payload:
            self._begun = True
            self._returned = orjson.loads(payload).get("running") is not True

    def _stop(self) -> None:
        if self._begun and not self._returned:
            # Chrome ends whatever is running, and that is ours.
            self._session.post("Runtime.terminateExecution")
        elif self._returned:
            # The function is waiting, and code of the page may be running now. So ask the function to stop.
            call = {"functionDeclaration": page_script("stop"), "executionContextId": self._context_id}
            self._session.post("Runtime.callFunctionOn", {**call, "arguments": [{"value": self.token}]})
