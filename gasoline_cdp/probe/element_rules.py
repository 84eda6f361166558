"""The CSS rules that match an element, with their places: as the browser's own developer tools show them."""

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import frozen

from gasoline_cdp.cdp.connection import Params
from gasoline_cdp.cdp.world import Handle
from gasoline_cdp.probe.elements import FrameScope
from gasoline_cdp.records import StackFrame
from gasoline_cdp.redact import safe_text, safe_url

# Rules of one element, the strongest first, and declarations of one rule.
_RULES = 20
_DECLARATIONS = 40
_VALUE_CHARS = 200
_SELECTOR_CHARS = 200
_CONDITIONS = (("media", "media"), ("container", "containerQueries"), ("supports", "supports"), ("layer", "layers"))


@frozen(kw_only=True)
class FoundRule:
    """A rule. `selector` is `style` for the attribute; `location`: where the browser has it from, if that is a file.

    Each declaration with whether a stronger rule of this element says otherwise.
    """

    selector: str
    declarations: list[tuple[str, bool]]
    location: StackFrame | None
    # Conditions around it, such as `@media (width > 600px)`.
    within: str | None


async def rules_of(frame: FrameScope, element: Handle) -> list[FoundRule]:
    """The rules of the page's own style sheets that match the element, the strongest first."""
    session = frame.world.session
    sheets: dict[str, Params] = {}

    def added(params: Params) -> None:
        header = params.get("header") or {}
        sheets[str(header.get("styleSheetId"))] = header

    await session.send("DOM.enable")
    with session.listening("CSS.styleSheetAdded", added):
        await session.send("CSS.enable")
        try:
            await session.send("DOM.getDocument", {"depth": 0})
            node = await session.send("DOM.requestNode", {"objectId": element.object_id})
            reply = await session.send("CSS.getMatchedStylesForNode", {"nodeId": node["nodeId"]})
            matched = _matched(reply)
            cascaded = _cascade([style for _, style, _ in matched])
            return [
                FoundRule(
                    selector=safe_text(selector, _SELECTOR_CHARS),
                    declarations=declarations,
                    location=_location(style, sheets),
                    within=within,
                )
                for (selector, style, within), declarations in zip(matched, cascaded, strict=True)
            ]
        finally:
            # The badge keeps its own style sheet, which outlives this.
            session.post("CSS.disable")


def _matched(reply: Params) -> list[tuple[str, Params, str | None]]:
    """Selector, style and conditions of each rule, the strongest first."""
    rules: list[tuple[str, Params, str | None]] = []
    if (inline := reply.get("inlineStyle") or {}).get("cssProperties"):
        rules.append(("style", inline, None))
    for match in reversed(reply.get("matchedCSSRules") or []):
        rule = match.get("rule") or {}
        if rule.get("origin") != "regular":
            continue
        selectors = (rule.get("selectorList") or {}).get("selectors") or []
        chosen = [index for index in match.get("matchingSelectors") or [] if index < len(selectors)]
        text = ", ".join(str(selectors[index].get("text")) for index in chosen)
        rules.append((text, rule.get("style") or {}, _conditions(rule)))
    return rules[:_RULES]


def _conditions(rule: Params) -> str | None:
    """`@media …`, `@container …`, `@layer …` around a rule."""
    parts = [
        f"@{name} {one.get('text') or one.get('name')}"
        for name, key in _CONDITIONS
        for one in rule.get(key) or []
        if one.get("text") or one.get("name")
    ]
    return safe_text(" ".join(parts), _VALUE_CHARS) or None


def _cascade(styles: Sequence[Params]) -> Iterator[list[tuple[str, bool]]]:
    """The declarations of each, and which of them lose against a stronger one."""
    important = {one["name"] for style in styles for one in _declared(style) if one.get("important")}
    taken: set[str] = set()
    for style in styles:
        shown = []
        for one in _declared(style):
            name, is_important = str(one.get("name")), bool(one.get("important"))
            key = f"!{name}" if is_important else name
            lost = key in taken or (not is_important and name in important)
            mark = " !important" if is_important and "!important" not in str(one.get("value")) else ""
            shown.append((safe_text(f"{name}: {one.get('value')}{mark}", _VALUE_CHARS), lost))
            taken.add(key)
        yield shown


def _declared(style: Params) -> list[dict[str, Any]]:
    """What was written: not the longhands that Chrome derives, and nothing that it cannot read."""
    written = [
        one
        for one in style.get("cssProperties") or []
        if one.get("range") and not one.get("disabled") and one.get("parsedOk", True)
    ]
    return written[:_DECLARATIONS]


def _location(style: Params, sheets: dict[str, Params]) -> StackFrame | None:
    """Where a style begins in its file, or in the document that it is written in."""
    header, location = sheets.get(str(style.get("styleSheetId"))), style.get("range")
    if header is None or location is None or not header.get("sourceURL"):
        return None
    line, column = int(location["startLine"]), int(location["startColumn"])
    if header.get("isInline"):
        column += int(header.get("startColumn") or 0) if line == 0 else 0
        line += int(header.get("startLine") or 0)
    return StackFrame("", safe_url(header["sourceURL"]), line + 1, column + 1)
