"""The view `screenshot`: a picture of the window, the whole page, or one element."""

from collections.abc import Iterator

from attrs import frozen

from gasoline_cdp.answers.amounts import number
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.operations.answer import Illustrated, Image
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.accessibility_tree import read_trees
from gasoline_cdp.probe.dom import asking
from gasoline_cdp.probe.marking import MarkedElement, mark
from gasoline_cdp.probe.screenshot import take_screenshot
from gasoline_cdp.views.accessibility_tree import lines_of
from gasoline_cdp.views.listing import ObserveArgs


@frozen(kw_only=True)
class ScreenshotAnswer:
    """What the picture beside this answer shows: `area` of the page in CSS pixels, at `scale`."""

    summary: str
    tab_id: int
    url: str
    mime: str
    bytes: int
    width: int
    height: int
    scale: float
    quality: int
    area: dict[str, float]
    # Full size, if it is larger than `area`: see the rest element by element, or after scrolling.
    whole: dict[str, float] | None = None
    # Controls whose references are drawn on it, and those that were too many.
    marked: int = 0
    marks_left_out: int = 0

    def render(self) -> Iterator[Line]:
        """What the picture beside these lines shows."""
        yield Line(f"{self.summary} Tab {self.tab_id}, {word(self.url)}", tone="heading")
        area = " ".join(f"{name} {number(value)}" for name, value in self.area.items())
        whole = ", ".join(f"{name} {number(value)}" for name, value in (self.whole or {}).items())
        yield Line(f"It shows {area} of the page in CSS pixels{f'; the whole has {whole}' if whole else ''}.")
        if self.marked:
            more = f"; {self.marks_left_out} more have no room" if self.marks_left_out else ""
            yield Line(f"{number_of(self.marked, 'control')} marked with their references{more}.")


async def show_screenshot(args: ObserveArgs, context: Context) -> Illustrated:
    """Take a picture; the answer says what it shows."""
    tab = context.tabs.pick(args.tab_id)
    with asking(tab):
        picture = await take_screenshot(tab, selector=args.selector, full_page=args.full_page, kind=args.format)
        marked = MarkedElement(picture, 0, 0)
        if args.mark:
            trees = (await read_trees(tab, None)).trees
            controls = [line.ref for line in lines_of(trees) if line.control and line.ref]
            marked = await mark(tab, picture, trees, controls)
            picture = marked.picture
    what = "The element" if args.selector else "The whole page" if args.full_page else "What the window shows"
    if picture.whole is not None:
        what = f"The beginning of {'the element' if args.selector else 'the page'}, which is too large for one picture"
    smaller = f", at {picture.scale:.0%} of its size" if picture.scale < 1 else ""
    answer = ScreenshotAnswer(
        summary=f"{what}: {picture.width} by {picture.height} pixels{smaller}.",
        tab_id=tab.tab_id,
        url=tab.source.url,
        mime=picture.mime,
        bytes=len(picture.data),
        width=picture.width,
        height=picture.height,
        scale=picture.scale,
        quality=picture.quality,
        area=picture.area,
        whole=picture.whole,
        marked=marked.drawn,
        marks_left_out=marked.left_out,
    )
    return Illustrated(answer, (Image(picture.data, picture.mime),))
