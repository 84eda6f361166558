"""`query_dom`: elements of the page as it is now."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from attrs import evolve, field, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.markup import is_secret_field, safe_attributes
from gasoline_cdp.answers.amounts import box
from gasoline_cdp.answers.arguments import max_bytes_argument, tab_argument
from gasoline_cdp.answers.element_details import CssRule, EventListener
from gasoline_cdp.answers.lines import AnswerForm, Line, note, rest_of
from gasoline_cdp.answers.paging import start_of
from gasoline_cdp.answers.quoting import quoted, word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.probe.dom import asking, require_page
from gasoline_cdp.probe.elements import DomQuery, ElementMatches, find_elements
from gasoline_cdp.redact import REDACTED, safe_text, safe_url
from gasoline_cdp.views.element_details import element_details

# Default properties: those that say where an element is and why it looks as it does.
_LAYOUT = (
    "display", "position", "width", "height", "margin", "padding", "flex", "grid", "visibility", "opacity",
    "overflow", "z-index", "color", "background-color", "font-size",
)  # fmt: skip
_PROPERTIES_MAX = 40
_SELECTOR_CHARS = 1000
# Room for the fields around the elements and a notice.
_AROUND = 700
# Longest text of a child element.
_CHILD_TEXT = 200
# The end of a cut text. Lines do not cut it again.
_CUT = "…"
_SHOWN_TEXT = limits.DOM_TEXT_CHARS + len(_CUT)
# Starts the line of an element: its names come from the page and must not start a line.
_ELEMENT = "-"
# Roles that say nothing.
_NO_ROLES = {None, "", "generic", "none"}


@frozen(kw_only=True)
class DomArgs:
    """Arguments of query_dom."""

    selector: str = wire.arg("CSS; ' >>> ' enters shadow roots and frames; or a ref")
    include_styles: bool = wire.arg("Include computed styles.", default=False)
    properties: list[str] | None = wire.arg("Computed styles to include (default: a selection).", default=None)
    include_children: bool = wire.arg("Include child elements.", default=False)
    max_depth: int = wire.arg("Depth of child elements, at most 5.", default=limits.DOM_DEPTH_DEFAULT, minimum=1)
    include: list[Literal["css", "listeners"]] | None = wire.arg(
        "of the first: matching CSS rules, event listeners", default=None
    )
    pierce: bool = wire.arg("also in shadow roots and frames", default=False)
    limit: int | None = wire.arg(
        "Maximum number of elements, up to 50.", default=None, minimum=1, maximum=limits.DOM_ELEMENTS
    )
    cursor: str | None = wire.arg("The `cursor` of an earlier answer: continue after it.", default=None)
    max_bytes: int | None = max_bytes_argument()
    tab_id: int | None = tab_argument()


@frozen(kw_only=True)
class Match:
    """An element. `selector` matches only it; role and name are the browser's; `more` counts children not shown."""

    selector: str
    tag: str
    attributes: dict[str, str]
    text: str
    boundingBox: dict[str, float]  # noqa: N815 - the field names of the original tool
    visible: bool
    role: str | None = None
    name: str | None = None
    styles: dict[str, str] | None = None
    children: list[dict[str, Any]] | None = None
    more: int = 0
    # Of the first element, if asked for.
    css: list[CssRule] | None = None
    listeners: list[EventListener] | None = None

    def lines(self) -> Iterator[Line]:
        """`- "#cart > a" <a href=/pay> "Pay" role=link 80x24 at 10,20`, its styles and its children."""
        # A selector by id already contains the id.
        attributes = {
            name: value
            for name, value in self.attributes.items()
            if name != "id" or not self.selector.endswith(f"#{value}")
        }
        said = {self.text, *self.attributes.values()}
        words = (
            word(self.selector, _SELECTOR_CHARS),
            _markup(self.tag, attributes),
            quoted(self.text, _SHOWN_TEXT) if self.text and not _is_repeated(self.text, self.children or ()) else "",
            f"role={word(self.role or '')}" if self.role not in {*_NO_ROLES, self.tag} else "",
            f"name={quoted(self.name, _SHOWN_TEXT)}" if self.name and self.name not in said else "",
            box(self.boundingBox),
            "" if self.visible else "hidden",
        )
        yield Line(" ".join(filter(None, words)), tag=_ELEMENT)
        if self.styles:
            values = (f"{word(name)}={word(value)}" for name, value in self.styles.items())
            yield Line(" ".join(values), tag="styles", depth=1)
        for detail in (*(self.css or ()), *(self.listeners or ())):
            yield from detail.lines()
        yield from _tree(self.children or (), self.more, 1)


@frozen(kw_only=True)
class DomAnswer:
    """The matching elements in document order. `cursor` fetches those that did not fit."""

    url: str
    title: str
    tab_id: int
    matches: list[Match]
    matchCount: int  # noqa: N815
    returnedCount: int  # noqa: N815
    cursor: str | None = None
    frames_unreached: int = 0
    notes: list[str] = field(factory=list)

    def render(self) -> Iterator[Line]:
        """How many elements match on which page, one line each, and how to get the rest."""
        count = f"{number_of(self.matchCount, 'element')} found" if self.matchCount else "Nothing found"
        shown = f", {self.returnedCount} shown" if self.returnedCount != self.matchCount else ""
        title = f" {quoted(self.title, limits.TITLE_CHARS)}" if self.title else ""
        yield Line(f"{count}{shown} on tab {self.tab_id}, {word(self.url)}{title}", tone="heading")
        for match in self.matches:
            yield from match.lines()
        if self.cursor:
            yield from rest_of(self.matchCount - int(self.cursor), self.cursor)
        if self.frames_unreached:
            yield note(f"{number_of(self.frames_unreached, 'frame')} gave no answer.", "warning")
        for text in self.notes:
            yield note(text)


def _tree(children: Iterable[Mapping[str, Any]], more: int, depth: int) -> Iterator[Line]:
    for child in children:
        inside = child.get("children", ())
        text = child.get("text", "")
        shown = quoted(text, _SHOWN_TEXT) if text and not _is_repeated(text, inside) else ""
        markup = _markup(child.get("tag", ""), child.get("attributes", {}))
        yield Line(f"{markup} {shown}".rstrip(), tag=_ELEMENT, depth=depth)
        yield from _tree(inside, child.get("more", 0), depth + 1)
    if more:
        yield Line(f"{more} more inside", depth=depth, tone="dim")


def _markup(tag: str, attributes: Mapping[str, str]) -> str:
    """`<input type=text disabled>`, with quotes only where a value needs them."""
    names = (
        f"{word(name)}={word(value, limits.DOM_ATTRIBUTE_CHARS)}" if value else word(name)
        for name, value in attributes.items()
    )
    return f"<{' '.join((word(tag), *names))}>"


def _is_repeated(text: str, children: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the lines of the children contain all of an element's text."""
    own, below = _squeezed(text), "".join(map(_text_in_lines, children))
    return own == below or (own.endswith(_CUT) and below.startswith(own.removesuffix(_CUT)))


def _text_in_lines(element: Mapping[str, Any]) -> str:
    """The text in the lines of an element and its children, without blanks."""
    text, children = element.get("text", ""), element.get("children", ())
    return "".join(map(_text_in_lines, children)) if _is_repeated(text, children) else _squeezed(text)


def _squeezed(text: str) -> str:
    return "".join(text.split())


async def query_dom(args: DomArgs, context: Context) -> DomAnswer:
    """Ask the page."""
    if not args.selector.strip():
        raise GasolineError(Code.INVALID_SELECTOR, "The selector is empty. Name elements, for example 'main button'.")
    tab = context.tabs.pick(args.tab_id)
    start = start_of(args.cursor) or 0
    query = DomQuery(
        selector=args.selector.strip()[:_SELECTOR_CHARS],
        start=start,
        limit=args.limit or limits.DOM_ELEMENTS,
        styles=_styles(args),
        depth=min(args.max_depth, limits.DOM_DEPTH) if args.include_children else 0,
        pierce=args.pierce,
    )
    with asking(tab):
        result = await find_elements(tab, query)
    await require_page(tab)
    for session in dict.fromkeys(result.sessions):
        context.capture.actions.tree_built(session)
    shown = [_show(element) for element in result.elements]
    if args.include and shown:
        with asking(tab):
            details = await element_details(context, tab, query.selector, args.include)
        shown[0] = evolve(shown[0], css=details.css, listeners=details.listeners)
    budget = args.max_bytes or (limits.ANSWER_BYTES_MAX if args.limit else limits.ANSWER_BYTES)
    matches = _fitting(shown, budget - _AROUND, context.form)
    end = start + len(matches)
    return DomAnswer(
        url=safe_url(result.url),
        title=safe_text(result.title, limits.TITLE_CHARS),
        tab_id=tab.tab_id,
        matches=matches,
        matchCount=result.match_count,
        returnedCount=len(matches),
        cursor=str(end) if matches and end < result.match_count else None,
        frames_unreached=result.frames_unreached,
        notes=_notes(args, result),
    )


def _styles(args: DomArgs) -> tuple[str, ...] | None:
    if args.properties:
        return tuple(name[:100] for name in args.properties[:_PROPERTIES_MAX])
    return _LAYOUT if args.include_styles else None


def _notes(args: DomArgs, result: ElementMatches) -> list[str]:
    notes = []
    if result.lost:
        # The caller's own selector, which it may have copied from a page.
        step = safe_text(result.lost, 100)
        why = "has no open shadow root and is no frame" if result.lost_matched else "matches nothing"
        notes.append(f"The way ends at {step!r}, which {why}.")
    elif not result.match_count and not args.pierce:
        notes.append("Nothing matches in the page itself; pierce looks into shadow roots and frames too.")
    if args.include_children and args.max_depth > limits.DOM_DEPTH:
        notes.append(f"max_depth is {limits.DOM_DEPTH} at most.")
    return notes


def _fitting(matches: list[Match], budget: int, form: AnswerForm) -> list[Match]:
    """The first elements that fit. Always at least one, without its children if necessary."""
    shown: list[Match] = []
    for match in matches:
        if form == "lines":
            cost = sum(len(str(line).encode()) + 1 for line in match.lines())
        else:
            cost = len(wire.encode(wire.dump(match))) + 1
        if cost > budget and not shown:
            count = len(match.children or []) + match.more
            shown.append(_without_children(match, count))
            break
        budget -= cost
        if budget < 0:
            break
        shown.append(match)
    return shown


def _without_children(match: Match, count: int) -> Match:
    return evolve(match, styles=None, children=None, more=count)


def _show(element: dict[str, Any]) -> Match:
    shown = _described(element, limits.DOM_TEXT_CHARS)
    children = element.get("children")
    return Match(
        selector=safe_text(element["selector"], _SELECTOR_CHARS),
        tag=shown["tag"],
        attributes=shown["attributes"],
        text=shown["text"],
        boundingBox=element["boundingBox"],
        visible=element["visible"],
        role=safe_text(element["role"], 60) if "role" in element else None,
        name=_name(element),
        styles={safe_text(name, 100): safe_text(value, 200) for name, value in element["styles"].items()}
        if "styles" in element
        else None,
        children=None if children is None else [_child(child) for child in children],
        more=element.get("more", 0),
    )


def _name(element: dict[str, Any]) -> str | None:
    name = element.get("name")
    if name is None:
        return None
    # The name may be the field's value: mask it in a field for secrets.
    return (
        REDACTED
        if is_secret_field(element["attributes"]) and name == element["attributes"].get("value")
        else (safe_text(name, 200))
    )


def _child(element: dict[str, Any]) -> dict[str, Any]:
    shown = {name: value for name, value in _described(element, _CHILD_TEXT).items() if value}
    if children := element.get("children"):
        shown["children"] = [_child(child) for child in children]
    if more := element.get("more"):
        shown["more"] = more
    return shown


def _described(element: dict[str, Any], chars: int) -> dict[str, Any]:
    return {
        "tag": safe_text(element["tag"], 60),
        "attributes": safe_attributes(element["attributes"]),
        "text": safe_text(element["text"], chars),
    }


TOOLS = (
    Tool(
        name="query_dom",
        title="Query the DOM",
        description=("Elements of the page: unique selector, attributes, text, box, visibility, role, name."),
        args=DomArgs,
        answer=DomAnswer,
        run=query_dom,
    ),
)
