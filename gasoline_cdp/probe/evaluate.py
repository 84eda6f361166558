"""Runs an assistant's script in a page's own world: once, with a time limit, and with a result that is safe to show."""

import re
from typing import Any
from weakref import WeakKeyDictionary

import trio
from attrs import frozen

from gasoline_cdp import limits, pilot_limits, wire
from gasoline_cdp.analysis.plain_values import plain_value
from gasoline_cdp.analysis.sourcemaps.frames import SCRIPT_NAME
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.commands import SentCommand
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.probe.dom import browser_ended, busy_with_us
from gasoline_cdp.redact import safe_text

# The object group of everything the browser holds for us, until we release it.
_GROUP = "gasoline-script"
# The script's file name in errors.
_NAME = SCRIPT_NAME
_POSITION = re.compile(rf"{_NAME}:(\d+):")
# The script as an expression, or as statements with `return`. In a function, so that its names stay local; on a line of
# its own, so that a comment at its end ends there.
_FORMS = (
    ("(async()=>({value:await(\n", f"\n)}}))()\n//# sourceURL={_NAME}"),
    ("(async()=>({value:await(async()=>{\n", f"\n}})()}}))()\n//# sourceURL={_NAME}"),
)
_ENDED = " and was ended. The page is usable."
_ENDED_SOMETHING = (
    ". The page's main thread was busy with the script after an `await`, or with code of the page's own; what ran "
    "there was ended. The page is usable."
)
# Depths to try, until the result is small enough.
_DEPTHS = (pilot_limits.RESULT_DEPTH, 5, 3, 2, 1)


@frozen(kw_only=True)
class Outcome:
    """The result of a script: JSON values, and their original type."""

    value: Any
    type: str
    # The depth to which it is shown, if there was more than could be fetched.
    shown_depth: int | None = None
    # Size of the whole result, if it was not fetched completely.
    parts_at_least: int | None = None
    chars: int | None = None


class Scripts:
    """The scripts that run in tabs, one at a time per tab: stopping one must not stop another."""

    def __init__(self) -> None:
        self._busy: WeakKeyDictionary[Tab, trio.Lock] = WeakKeyDictionary()

    async def run(self, tab: Tab, script: str, seconds: float) -> Outcome:
        """Run a script in the tab's main frame. Whatever it does, this returns, and the page stays usable."""
        if tab.state == "crashed":
            raise GasolineError(Code.PAGE_HUNG, f"Tab {tab.tab_id} has crashed. Reload it, then try again.")
        if tab.dialog:
            raise GasolineError(
                Code.PAGE_HUNG,
                f"A dialog ({tab.dialog}) is open in tab {tab.tab_id}: no script runs there until a person "
                "has closed it. The script was not run.",
            )
        lock = self._busy.setdefault(tab, trio.Lock())
        with trio.move_on_after(seconds) as waiting:
            await lock.acquire()
        if waiting.cancelled_caught:
            raise GasolineError(
                Code.EXECUTION_TIMEOUT,
                f"Another script still runs in tab {tab.tab_id}; this one was not started. Try again later.",
            )
        try:
            return await _run(tab, script, seconds)
        finally:
            lock.release()


async def _run(tab: Tab, script: str, seconds: float) -> Outcome:
    session = tab.session
    begun = False
    try:
        program = await _compiled(tab, script)
        begun = True
        with session.sent("Runtime.evaluate", _evaluation(program, seconds)) as command:
            # A little more time than Chrome has. Chrome ends a loop by itself unless the loop comes after an await.
            with trio.move_on_after(seconds + pilot_limits.SCRIPT_RESPONSE_SECONDS):
                return await _outcome(session, command, script)
            unanswered = not command.replied and not tab.dialog
            state = await _give_up(tab, command)
            if unanswered and command.replied:
                # It ended, or Chrome ended it, while we checked the page.
                with trio.move_on_after(pilot_limits.SCRIPT_RECOVERY_SECONDS):
                    return await _outcome(session, command, script)
    except CdpClosed as error:
        if session.browser_gone:
            raise browser_ended() from error
        if tab.state == "closed":
            raise GasolineError(Code.NO_SUCH_TAB, f"Tab {tab.tab_id} was closed while the script ran.") from error
        raise GasolineError(Code.PAGE_NAVIGATED, f"Tab {tab.tab_id} crashed while the script ran.") from error
    except CdpError as error:
        if "internal error" not in error.message.lower():
            raise GasolineError(
                Code.PAGE_NAVIGATED,
                f"Tab {tab.tab_id} navigated while the script ran: what it did until then is done, its result is lost. "
                "Look at the new page.",
            ) from error
        # This is how Chrome reports a script that it ended at its time limit.
        state = _ENDED
    except trio.Cancelled:
        # The caller is gone. Its loop must not stay.
        with trio.CancelScope(shield=True):
            if begun and not await _answers(session, pilot_limits.SCRIPT_RESPONSE_SECONDS):
                session.post("Runtime.terminateExecution")
        raise
    finally:
        session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
    raise GasolineError(
        Code.EXECUTION_TIMEOUT,
        f"The script did not finish in {seconds * 1000:.0f} ms{state}",
        timeout_ms=round(seconds * 1000),
    )


async def _compiled(tab: Tab, script: str) -> str:
    """The compiled program, once the page can run it. Until then the page is busy itself, or an analysis of ours is."""
    with trio.move_on_after(limits.ANALYSED_PAGE_ANSWER_SECONDS if tab.analysis else limits.PAGE_ANSWER_SECONDS):
        return await _program(tab.session, script)
    if tab.analysis:
        raise GasolineError(Code.PAGE_HUNG, f"{busy_with_us(tab)} The script was not run.")
    raise GasolineError(
        Code.PAGE_HUNG,
        f"The main thread of tab {tab.tab_id} is busy with code of the page's own. The script was not run, and nothing "
        "was ended. Try again later, or reload the page.",
    )


async def _program(session: Session, script: str) -> str:
    """The form of the script that compiles. Compiling runs nothing."""
    for before, after in _FORMS:
        program = f"{before}{script}{after}"
        if not await _syntax_error(session, program):
            return program
    # Compile the script alone, so that the error refers to what its author wrote.
    details = await _syntax_error(session, f"{script}\n//# sourceURL={_NAME}") or {}
    described = (details.get("exception") or {}).get("description") or "SyntaxError"
    raise GasolineError(
        Code.SCRIPT_ERROR,
        "The script is not valid JavaScript: neither an expression nor statements (with `return` for the result). "
        "It was not run.",
        exception=safe_text(str(described).split("\n", maxsplit=1)[0], 500),
        # If something is missing at the end, Chrome reports our own line after it.
        line=min(int(details.get("lineNumber", 0)), script.count("\n")) + 1,
    )


async def _syntax_error(session: Session, program: str) -> Params | None:
    reply = await session.send(
        "Runtime.compileScript", {"expression": program, "sourceURL": "", "persistScript": False}
    )
    return reply.get("exceptionDetails")


def _evaluation(program: str, seconds: float) -> Params:
    return {
        "expression": program,
        "objectGroup": _GROUP,
        "awaitPromise": True,
        "disableBreaks": True,
        "timeout": seconds * 1000,
        # The page's policy applies to `eval` in the script, too: what works here works in the page.
        "allowUnsafeEvalBlockedByCSP": False,
    }


async def _outcome(session: Session, command: SentCommand, script: str) -> Outcome:
    """The result of the script, once it has ended."""
    reply = await command.reply()
    if details := reply.get("exceptionDetails"):
        value = await _thrown_value(session, details.get("exception") or {})
        raise _thrown(details, value, lines=script.count("\n") + 1)
    return await _result(session, str(reply["result"]["objectId"]))


async def _thrown_value(session: Session, exception: Params) -> str:
    """A thrown value that is not an error: as JSON, or its description. Empty for an error."""
    if exception.get("type") == "undefined" or exception.get("subtype") == "null":
        return "null" if "subtype" in exception else "undefined"
    if exception.get("subtype") == "error" or "objectId" not in exception:
        return ""
    try:
        holder = await _call(session, exception["objectId"], "function () { return {value: this}; }")
        outcome = await _result(session, str(holder["objectId"]))
    except (GasolineError, CdpError):
        return ""
    return wire.encode(outcome.value).decode()


def _thrown(details: Params, value: str = "", *, lines: int = 0) -> GasolineError:
    """The error thrown by a script of so many lines."""
    exception: Params = details.get("exception") or {}
    described = value or exception.get("description") or exception.get("value") or details.get("text") or "unknown"
    first, _, stack = str(described).partition("\n    at ")
    known: dict[str, Any] = {"exception": safe_text(first, 1000)}
    if stack:
        # Subtract our own line before the script. Lines after the script are ours, too.
        stack = _POSITION.sub(lambda position: f"{_NAME}:{max(1, int(position[1]) - 1)}:", f"at {stack}")
        frames = [line.strip() for line in stack.split("\n") if not lines or _line_of(line) <= lines]
        known["stack"] = safe_text("\n".join(frames[: limits.STACK_FRAMES]), 2000)
    stack_too = " and details.stack" if "stack" in known else ""
    return GasolineError(
        Code.SCRIPT_ERROR, f"The script threw an exception: see details.exception{stack_too}.", **known
    )


def _line_of(frame: str) -> int:
    """The line of the script that a frame is in; 0 for code of the page."""
    position = _POSITION.search(frame)
    return int(position[1]) if position else 0


async def _result(session: Session, holder: str) -> Outcome:
    """Fetch the result as deep as possible without filling memory on either side."""
    for depth in _DEPTHS:
        measured = (
            await _call(
                session,
                holder,
                page_script("measure_result"),
                depth,
                pilot_limits.RESULT_PARTS,
                pilot_limits.RESULT_CHARS,
            )
        ).get("value") or {}
        if measured.get("head") is not None:
            head = safe_text(measured["head"], pilot_limits.RESULT_TEXT_CHARS)
            return Outcome(value=head, type="string", chars=int(measured["chars"]))
        parts, chars = int(measured.get("parts", 0)), int(measured.get("chars", 0))
        if parts <= pilot_limits.RESULT_PARTS and chars <= pilot_limits.RESULT_CHARS:
            break
    else:
        result = await _call(session, holder, "function () { return this.value; }")
        described = f"[{safe_text(result.get('description') or result.get('type'), 200)}]"
        return Outcome(value=described, type=_kind(result), shown_depth=0, parts_at_least=parts)
    try:
        result = await _call(session, holder, "function () { return this.value; }", depth=depth)
    except CdpError:
        # A getter in it throws, so Chrome returns nothing at all; or the page has navigated.
        result = await _call(session, holder, "function () { return this.value; }")
        described = f"[{safe_text(result.get('description') or result.get('type'), 200)}, which throws when it is read]"
        return Outcome(value=described, type=_kind(result))
    kind = _kind(result)
    if kind == "error":
        value: Any = safe_text(result.get("description"), 2000)
    else:
        value = plain_value(result.get("deepSerializedValue"))
    return Outcome(value=value, type=kind, shown_depth=depth if depth != pilot_limits.RESULT_DEPTH else None)


def _kind(result: Params) -> str:
    return safe_text(result.get("subtype") or result.get("type"), 40)


async def _call(
    session: Session, holder: str, function: str, *arguments: int, depth: int | None = None
) -> dict[str, Any]:
    call: Params = {
        "functionDeclaration": function,
        "objectId": holder,
        "arguments": [{"value": argument} for argument in arguments],
        "objectGroup": _GROUP,
        "silent": True,
    }
    if depth is not None:
        call["serializationOptions"] = {
            "serialization": "deep",
            "maxDepth": depth,
            "additionalParameters": {"maxNodeDepth": 0},
        }
    elif arguments:
        call["returnByValue"] = True
    reply = await session.send("Runtime.callFunctionOn", call)
    if details := reply.get("exceptionDetails"):
        raise _thrown(details)
    result: dict[str, Any] = reply.get("result") or {}
    return result


async def _give_up(tab: Tab, command: SentCommand) -> str:
    """Stop what still runs without harming the page's own code. Returns the state of the page."""
    session = tab.session
    if tab.dialog:
        dismissed = f": it waited for a dialog ({tab.dialog}), which was dismissed. The page is usable."
        session.post("Page.handleJavaScriptDialog", {"accept": False})
        if await _answers(session, pilot_limits.SCRIPT_RESPONSE_SECONDS):
            return dismissed
        # One dialog after another: Chrome cannot stop such a script, but a person can.
    elif await _answers(session, pilot_limits.SCRIPT_RESPONSE_SECONDS):
        # The script only waits, so stopping now would stop code of the page; or its reply came late.
        return ". It waits for something, and may go on in the page until that is reloaded. The page is usable."
    else:
        session.post("Runtime.terminateExecution")
        if await _answers(session, pilot_limits.SCRIPT_RECOVERY_SECONDS):
            # Chrome does not say whose code it ended: after an await, other code gets its turn.
            return _ENDED if command.replied else _ENDED_SOMETHING
    return ", and the page still does not answer. Reload it."


async def _answers(session: Session, seconds: float) -> bool:
    with trio.move_on_after(seconds):
        try:
            await session.send("Runtime.evaluate", {"expression": "0", "silent": True})
        except (CdpClosed, CdpError):
            return True
        return True
    return False
