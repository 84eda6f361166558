"""Finds the nearest colours that have enough contrast."""

import re
from collections.abc import Callable, Sequence

Colour = tuple[int, int, int]

_HEX = re.compile(r"#?([0-9a-f]{6})", re.IGNORECASE)
_BLACK: Colour = (0, 0, 0)
_WHITE: Colour = (255, 255, 255)


def parse_colour(text: object) -> Colour | None:
    """`#rrggbb` as three numbers."""
    match = _HEX.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    digits = match[1]
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def write_colour(colour: Colour) -> str:
    """Numbers as `#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def luminance(colour: Colour) -> float:
    """The relative luminance of WCAG 2."""

    def linear(channel: int) -> float:
        share = channel / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel) for channel in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: Colour, other: Colour) -> float:
    """The contrast ratio of WCAG 2, from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def passing_colour(
    colour: Colour,
    grounds: Sequence[Colour],
    required: float,
    seen: Callable[[Colour], Colour] = lambda colour: colour,
) -> Colour | None:
    """The nearest colour, darker or lighter, with the required contrast on all backgrounds; None if there is none.

    `seen` says how a colour looks where it is used, for example under an opacity.
    """
    candidates = [
        mixed for end in (_BLACK, _WHITE) if (mixed := _towards(colour, end, grounds, required, seen)) is not None
    ]
    return min(candidates, key=lambda mixed: distance(mixed, colour)) if candidates else None


def _towards(
    colour: Colour, end: Colour, grounds: Sequence[Colour], required: float, seen: Callable[[Colour], Colour]
) -> Colour | None:
    """The smallest step towards black or white from which the contrast is enough."""
    nearest = None
    for step in range(256, -1, -1):
        mixed = _mix(colour, end, step / 256)
        if min(ratio(seen(mixed), ground) for ground in grounds) < required:
            break
        nearest = mixed
    return nearest


def _mix(colour: Colour, end: Colour, share: float) -> Colour:
    red, green, blue = (round(channel + (last - channel) * share) for channel, last in zip(colour, end, strict=True))
    return red, green, blue


def distance(one: Colour, other: Colour) -> int:
    """How different two colours are, from 0 to 765."""
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))
