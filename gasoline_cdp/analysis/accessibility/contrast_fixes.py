"""Colours that give text enough contrast, computed through opacity, translucent layers and text shadows."""

import re
from typing import Any

from attrs import frozen

from gasoline_cdp.analysis.accessibility.changes import Change, Element, Fix, either, style
from gasoline_cdp.analysis.accessibility.contrast import (
    Colour,
    distance,
    parse_colour,
    passing_colour,
    ratio,
    write_colour,
)

_RATIO = re.compile(r"\d+(?:\.\d+)?")
# Screens round every layer, so the real ratio may be a little lower than the computed one.
_ROUNDING = 0.05
# Largest difference per channel between axe's colours and ours if both used the same layers.
_SAME = 2
_WHITE: Colour = (255, 255, 255)

Rgba = tuple[float, float, float, float]


@frozen(kw_only=True)
class Layer:
    """An element around the text: its background colour and its opacity."""

    background: Rgba
    opacity: float


def seen(layers: list[Layer], text: Rgba | None = None, *, opaque: bool = False) -> Colour:
    """The colour of a text pixel, or of a background pixel if there is no text. Layers come outermost first.

    With `opaque`, opacities are ignored.
    """

    def paint(index: int, behind: tuple[float, ...]) -> tuple[float, ...]:
        if index == len(layers):
            return behind if text is None else _over(text, behind)
        layer = layers[index]
        front = paint(index + 1, _over(layer.background, behind))
        return front if opaque else _over((*front, layer.opacity), behind)

    red, green, blue = (round(channel) for channel in paint(0, _WHITE))
    return red, green, blue


def _over(front: tuple[float, ...], behind: tuple[float, ...]) -> tuple[float, ...]:
    share = front[3]
    return tuple(above * share + below * (1 - share) for above, below in zip(front[:3], behind, strict=True))


def fix_contrast(element: Element) -> Fix:
    """A new text colour or background with enough contrast, or the reason why none can be computed."""
    data = next((check["data"] for check in element.checks if _measured(check)), None)
    if data is None:
        return Fix()
    text, ground = parse_colour(data["fgColor"]), parse_colour(data["bgColor"])
    wanted = _RATIO.match(str(data.get("expectedContrastRatio")))
    if text is None or ground is None or wanted is None:
        return Fix()
    required = float(wanted[0])
    facts = element.facts
    now = f"now {ratio(text, ground):.2f}:1, {wanted[0]}:1 required"
    if reason := facts.get("undecidable"):
        return Fix(note=f"no colour can be computed: {reason}; compare the colours on a screenshot")
    name = str(facts.get("property") or "color")
    if not facts.get("faded"):
        shadow = parse_colour(data.get("shadowColor"))
        grounds = [ground, shadow] if shadow else [ground]
        # Translucent text, or text with a shadow, would change with its background.
        background = () if facts.get("mixed") else _background_way(ground, text, required)
        ways = [way for way in (_text_way(name, text, grounds, required), background) if way]
        if not ways:
            return Fix(note=f"no colour alone gives enough contrast: {now}")
        # The smaller visual change comes first.
        if len(ways) == 2 and _change(ways[1], ground) < _change(ways[0], text):
            ways.reverse()
        return either(*ways, note=now)
    return _through_opacity(element, name, text, ground, required, now)


def _measured(check: dict[str, Any]) -> bool:
    data = check.get("data")
    return isinstance(data, dict) and bool(data.get("fgColor")) and bool(data.get("bgColor"))


def _text_way(name: str, text: Colour, grounds: list[Colour], required: float) -> tuple[Change, ...]:
    better = passing_colour(text, grounds, required)
    if better is None:
        return ()
    worst = min(grounds, key=lambda ground: ratio(better, ground))
    return (style(name, write_colour(better), when=f"({ratio(better, worst):.2f}:1 on {write_colour(worst)})"),)


def _background_way(ground: Colour, text: Colour, required: float) -> tuple[Change, ...]:
    other = passing_colour(ground, [text], required)
    return (style("background-color", write_colour(other)),) if other else ()


def _change(way: tuple[Change, ...], colour: Colour) -> int:
    """Distance between the new colour and the old one."""
    return distance(parse_colour(way[0].value) or colour, colour)


def _through_opacity(element: Element, name: str, text: Colour, ground: Colour, required: float, now: str) -> Fix:
    """Either a colour that has enough contrast despite the opacity, or no opacity, with a new colour if needed."""
    facts = element.facts
    layers = [Layer(background=tuple(one["background"]), opacity=float(one["opacity"])) for one in facts["layers"]]
    given: Rgba = tuple(facts["color"])
    seen_ground = seen(layers)
    as_axe = _near(seen_ground, ground) and _near(seen(layers, given), text)

    def through(colour: Colour) -> Colour:
        return seen(layers, (*colour, 1.0))

    kept: tuple[Change, ...] = ()
    if as_axe:
        start: Colour = (round(given[0]), round(given[1]), round(given[2]))
        better = passing_colour(start, [seen_ground], required + _ROUNDING, through)
        if better is not None:
            kept = (style(name, write_colour(better), when=f"({ratio(through(better), seen_ground):.2f}:1)"),)
    plain_ground, plain_text = seen(layers, opaque=True), seen(layers, given, opaque=True)
    paths = [_path(element, one["path"]) for one in facts["layers"] if one["path"]]
    around = tuple(path for path in paths if path != element.path)
    steps = [style("opacity", "1", on=around)] if around else []
    if len(around) < len(paths):
        steps.append(style("opacity", "1"))
    if ratio(plain_text, plain_ground) <= required + _ROUNDING:
        steps += _text_way(name, plain_text, [plain_ground], required + _ROUNDING)
    return either(kept, steps, note=now)


def _path(element: Element, path: str) -> tuple[str, ...]:
    return element.path if path == "itself" else (*element.path[:-1], path)


def _near(one: Colour, other: Colour) -> bool:
    return all(abs(a - b) <= _SAME for a, b in zip(one, other, strict=True))
