"""Contents of resources that no tool returns: whole bodies, significant events, schemas of answers."""

import re
from collections.abc import Iterator
from typing import Any, Literal

import trio
from attrs import frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.event_lines import event_lines
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, NoArgs, Operation

# MIME types passed through; everything else is served as text/plain.
_TEXT = re.compile(r"(text/[a-z0-9.+-]{1,40}|application/([a-z0-9.+-]{0,40}\+)?(json|xml|javascript))")

_SCHEMA_URI = "gasoline://tools/{name}/output-schema"


@frozen(kw_only=True)
class BodyArgs:
    """The request, and which of its bodies."""

    request_id: str = wire.arg("of the request")
    side: Literal["request", "response"] = wire.arg("what it sent, or what it got")


@frozen(kw_only=True)
class BodyText:
    """A body, complete while Chrome has it. `truncated`: it was longer."""

    text: str
    mime: str
    truncated: bool = False


async def read_body(args: BodyArgs, context: Context) -> BodyText:
    """Read the request body or the response body."""
    bodies, side = context.capture.bodies, args.side
    ask = bodies.read_sent if side == "request" else bodies.read_received
    try:
        with trio.fail_after(limits.BODY_READ_SECONDS):
            record, body = await ask(args.request_id, limits.RESOURCE_BODY_CHARS)
    except trio.TooSlowError:
        message = f"The page did not hand out the {side} body of {args.request_id} in time. Ask again later."
        raise GasolineError(Code.PAGE_HUNG, message) from None
    if body is None:
        raise GasolineError(
            Code.BODY_UNAVAILABLE, f"Request {args.request_id} has no {side} body, or Chrome no longer has it."
        )
    mime = record.mime if side == "response" and _TEXT.fullmatch(record.mime) else "text/plain"
    return BodyText(text=body.text, mime=mime, truncated=body.truncated)


@frozen(kw_only=True)
class Events:
    """The newest significant events. They are only recorded while a client streams or follows this resource."""

    watching: bool
    events: list[dict[str, Any]]

    def render(self) -> Iterator[Line]:
        """One line per event."""
        now = "" if self.watching else " Nobody streams or follows this now, so nothing new is added."
        yield Line(f"{number_of(len(self.events), 'significant event')}.{now}", tone="heading")
        yield from event_lines(self.events)


async def list_events(_: NoArgs, context: Context) -> Events:
    """The stored events, newest first."""
    await trio.lowlevel.checkpoint()
    streaming = context.streaming
    events = [streaming.entry(event) for event in reversed(streaming.recent)]
    return Events(watching=streaming.listening, events=events)


@frozen(kw_only=True)
class ToolEntry:
    """A tool, and the URI of its answer's schema."""

    name: str
    title: str
    output_schema: str


@frozen(kw_only=True)
class ToolIndex:
    """All tools."""

    tools: list[ToolEntry]

    def render(self) -> Iterator[Line]:
        """One line per tool. The heading has the pattern of the schema URIs."""
        where = f"The JSON Schema of an answer: {_SCHEMA_URI.format(name='NAME')}"
        yield Line(f"{number_of(len(self.tools), 'tool')}. {where}", tone="heading")
        for tool in self.tools:
            yield Line(tool.title, tag=f"{tool.name}:")


async def list_tools(_: NoArgs, __: Context) -> ToolIndex:
    """All tools, in the order in which an assistant reads them."""
    from gasoline_cdp.tools.registry import TOOLS  # noqa: PLC0415 - whoever can ask for this has them imported

    await trio.lowlevel.checkpoint()
    return ToolIndex(
        tools=[
            ToolEntry(name=tool.name, title=tool.title, output_schema=_SCHEMA_URI.format(name=tool.name))
            for tool in TOOLS.values()
        ]
    )


@frozen(kw_only=True)
class SchemaArgs:
    """The tool."""

    name: str = wire.arg("of the tool")


async def show_schema(args: SchemaArgs, _: Context) -> dict[str, Any]:
    """The JSON Schema of a tool's answer."""
    from gasoline_cdp.tools.registry import TOOLS  # noqa: PLC0415 - as above
    from gasoline_cdp.tools.schemas import output_schema  # noqa: PLC0415 - as above

    await trio.lowlevel.checkpoint()
    tool = TOOLS.get(args.name)
    if tool is None:
        raise GasolineError(Code.UNKNOWN_TOOL, f"There is no tool {args.name[:60]!r}. gasoline://tools lists them.")
    return output_schema(tool)


BODY = Operation(name="body", args=BodyArgs, answer=BodyText, run=read_body)
EVENTS = Operation(name="events", args=NoArgs, answer=Events, run=list_events, needs=Needs(browser=False))
TOOL_INDEX = Operation(
    name="tools", args=NoArgs, answer=ToolIndex, run=list_tools, needs=Needs(browser=False), page_content=False
)
SCHEMA = Operation(
    name="output-schema",
    args=SchemaArgs,
    answer=dict,
    run=show_schema,
    needs=Needs(browser=False),
    page_content=False,
)
