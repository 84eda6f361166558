"""A tool as a value, and the one path by which every tool is called."""

import logging
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import trio
from attrs import Factory, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.capture.page import Capture
from gasoline_cdp.chrome.status import BrowserStatus
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.store.pilot import Pilot
from gasoline_cdp.store.telemetry import Telemetry
from gasoline_cdp.tools.client import Client, Progress, no_progress
from gasoline_cdp.tools.paging import shrink

log = logging.getLogger(__name__)

# How long answers go on mentioning that the browser went away.
_NOTICE_SECONDS = 60.0


@frozen(kw_only=True)
class Context:
    """What a tool may use. References only. A frontend gives each call its own, with its client and its ear."""

    telemetry: Telemetry
    capture: Capture
    browser: BrowserStatus
    pilot: Pilot
    started_at: float
    strict: bool = False
    # Where files may be written, if a person said so.
    artifacts: Path | None = None
    client: Client = Factory(Client)
    progress: Progress = no_progress


@frozen(kw_only=True)
class Tool:
    """One tool: its words for an assistant, the class of its arguments and of its answer, and its function."""

    name: str
    title: str
    description: str
    args: type
    answer: type
    run: Callable[[Any, Context], Awaitable[object]]
    deadline: float = limits.TOOL_SECONDS
    pilot: bool = False
    read_only: bool = True
    # The answer carries text that a page wrote.
    page_content: bool = True


@frozen
class Answer:
    """What a call gives: JSON values, and whether they tell of a failure."""

    data: dict[str, Any]
    is_error: bool = False


async def call_tool(tools: dict[str, Tool], context: Context, name: str, arguments: object) -> Answer:
    """Gate, parse, run under the deadline, dump. Never raises, except to be cancelled (or under tests)."""
    try:
        tool = tools.get(name)
        if tool is None:
            raise GasolineError(
                Code.UNKNOWN_TOOL,
                f"There is no tool {name[:60]!r}. Tools: {', '.join(tools)}.",
                tools=list(tools),
            )
        if tool.pilot and not context.pilot.asked(name, context.client.kind):
            raise GasolineError(
                Code.AI_WEB_PILOT_DISABLED,
                f"{name} acts on the page, and the pilot is off. A person can start gasoline-cdp with --pilot.",
            )
        parsed: Any = wire.parse(tool.args, arguments)
        context.capture.settle()
        with trio.fail_after(tool.deadline):
            answer = wire.dump(await tool.run(parsed, context))
        if notice := _notice(context.browser):
            answer = {"notice": notice, **answer}
        if len(wire.encode(answer)) > limits.ANSWER_BYTES_MAX:
            # The last resort: a tool fits its answer itself, and better, as it knows what matters in it.
            answer = shrink(answer, limits.ANSWER_BYTES_MAX)
    except GasolineError as error:
        return failure(error)
    except trio.TooSlowError:
        return failure(
            GasolineError(
                Code.PAGE_HUNG,
                f"{name} did not finish in {tool.deadline if tool else 0:.0f} s. Try again, or reload.",
            )
        )
    except Exception as error:
        log.exception("tool %s failed", name[:60])
        if context.strict:
            raise
        kind = type(error).__name__
        return failure(
            GasolineError(
                Code.INTERNAL_ERROR,
                f"{name[:60]} failed inside gasoline-cdp ({kind}). Nothing captured is lost.",
            )
        )
    return Answer(answer)


def failure(error: GasolineError) -> Answer:
    """An error in the one shape that all frontends use."""
    shape: dict[str, Any] = {"status": "error", "error": error.code.value, "message": error.message}
    if error.details:
        shape["details"] = error.details
    return Answer(shape, is_error=True)


def _notice(browser: BrowserStatus) -> str:
    """What an assistant must know before it trusts an answer: the browser is not there, or was not a moment ago."""
    if browser.state == "running" and time.monotonic() - browser.noted_at > _NOTICE_SECONDS:
        return ""
    return browser.note
