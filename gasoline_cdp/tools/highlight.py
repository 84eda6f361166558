"""`highlight_element`: shows an element to a person."""

from collections.abc import Iterator

from attrs import frozen

from gasoline_cdp import limits, pilot_limits, wire
from gasoline_cdp.answers.amounts import box
from gasoline_cdp.answers.arguments import tab_argument
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Tool
from gasoline_cdp.redact import safe_text


@frozen(kw_only=True)
class HighlightArgs:
    """Arguments of highlight_element."""

    selector: str = wire.arg("CSS, or a ref; first match")
    duration_ms: int = wire.arg(
        "How long to show the highlight.",
        default=pilot_limits.HIGHLIGHT_MS,
        minimum=1,
        maximum=pilot_limits.HIGHLIGHT_MS_MAX,
    )
    tab_id: int | None = tab_argument()


@frozen(kw_only=True)
class Highlight:
    """The highlighted element. Bounds are in CSS pixels from the window's top left corner."""

    success: bool
    selector: str
    bounds: dict[str, float]
    tab_id: int
    # Why a person may not see the highlight.
    note: str = ""

    def render(self) -> Iterator[Line]:
        """What is highlighted, where, and why a person may not see it."""
        done = "Highlighted" if self.success else "Not highlighted:"
        yield Line(
            f"{done} {word(self.selector, limits.SELECTOR_CHARS)} {box(self.bounds)} on tab {self.tab_id}",
            tone="heading",
        )
        if self.note:
            yield note(self.note, "warning")


async def highlight_element(args: HighlightArgs, context: Context) -> Highlight:
    """Highlight the element and answer at once. The highlight disappears on its own."""
    tab = context.tabs.pick(args.tab_id)
    shown = await context.highlights.show(tab, args.selector, args.duration_ms / 1000)
    note = ""
    if not shown.drawn:
        note = "The element is hidden or has no size, so the highlight cannot be seen."
    elif not shown.on_screen:
        note = "The element is outside the visible part of the page: a person sees the mark after scrolling there."
    return Highlight(
        success=True,
        selector=safe_text(args.selector, limits.SELECTOR_CHARS),
        bounds=shown.bounds,
        tab_id=tab.tab_id,
        note=note,
    )


TOOLS = (
    Tool(
        name="highlight_element",
        title="Highlight an element",
        description="Needs the pilot. Mark an element for the user to see; returns its bounds.",
        args=HighlightArgs,
        answer=Highlight,
        run=highlight_element,
        needs=Needs(pilot=True),
        read_only=False,
    ),
)
