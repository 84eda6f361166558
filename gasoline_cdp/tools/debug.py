"""`debug`: uses the debugger as a witness, without stopping at anything for a person."""

from collections.abc import Iterator
from typing import Literal

from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.debugger_use import describe_debugger
from gasoline_cdp.operations.operation import Needs, Tool


@frozen(kw_only=True)
class DebugArgs:
    """Arguments of debug."""

    action: Literal["catch", "off"] = wire.arg("catch: read variables where exceptions are thrown; off: end it")
    on: Literal["uncaught", "all"] = wire.arg("all: also those the page catches", default="uncaught", only=("catch",))
    url_filter: str = wire.arg("Only in scripts whose URL contains this.", default="", only=("catch",))


@frozen(kw_only=True)
class DebugAnswer:
    """What of the debugger is in use now; empty if nothing is."""

    debugger: str
    note: str = ""

    def render(self) -> Iterator[Line]:
        """What is on, and how to go on."""
        yield Line(f"The debugger {self.debugger}." if self.debugger else "The debugger is off.", tone="heading")
        if self.note:
            yield note(self.note)


async def debug(args: DebugArgs, context: Context) -> DebugAnswer:
    """Switch it for all tabs, workers and frames, and for those that open later."""
    catcher = context.capture.catcher
    if args.action == "off":
        catcher.switch("off")
        return DebugAnswer(debugger="")
    catcher.switch(args.on, args.url_filter)
    return DebugAnswer(
        debugger=describe_debugger(context.capture),
        note="Let the error happen again: observe(what='errors') then shows the variables. Pages are slower until off.",
    )


TOOLS = (
    Tool(
        name="debug",
        title="Read variables at exceptions",
        description=(
            "Needs the pilot. Read local variables where exceptions are thrown; errors then show them. "
            "Slows pages: end with off."
        ),
        args=DebugArgs,
        answer=DebugAnswer,
        run=debug,
        needs=Needs(pilot=True),
        read_only=False,
        destructive=False,
        idempotent=True,
        page_content=False,
    ),
)
