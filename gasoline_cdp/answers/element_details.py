"""CSS rules and event listeners of an element in an answer."""

from collections.abc import Iterator

from attrs import field, frozen

from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.quoting import quoted, word

_TEXT_CHARS = 300


@frozen(kw_only=True)
class CssRule:
    """A rule that matches, the strongest first. `overridden`: declarations that a stronger rule replaces."""

    selector: str
    declarations: list[str]
    overridden: list[str] = field(factory=list)
    within: str | None = None
    at: str | None = None

    def lines(self) -> Iterator[Line]:
        """`css ".primary" "color: red" overridden "margin: 0" @media … styles.css:3:1`."""
        words = (
            quoted(self.selector, _TEXT_CHARS),
            *(quoted(one, _TEXT_CHARS) for one in self.declarations),
            *(("overridden", *(quoted(one, _TEXT_CHARS) for one in self.overridden)) if self.overridden else ()),
            quoted(self.within, _TEXT_CHARS) if self.within else "",
            word(self.at) if self.at else "",
        )
        yield Line(" ".join(filter(None, words)), tag="css", depth=1)


@frozen(kw_only=True)
class EventListener:
    """A listener on the element or, with `on`, on what is around it. `at`: its code, mapped where possible."""

    event: str
    on: str | None = None
    flags: list[str] = field(factory=list)
    at: str | None = None

    def lines(self) -> Iterator[Line]:
        """`listener click capture on div#root app.js:12:3`."""
        words = (
            word(self.event), *self.flags, f"on {word(self.on)}" if self.on else "", word(self.at) if self.at else "",
        )  # fmt: skip
        yield Line(" ".join(filter(None, words)), tag="listener", depth=1)
