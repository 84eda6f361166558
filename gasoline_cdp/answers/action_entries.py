"""User actions and DOM snapshots in an answer: as entries and as lines."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from gasoline_cdp.analysis.elements import element_of
from gasoline_cdp.analysis.sourcemaps.frames import ADDRESS_CHARS, cut
from gasoline_cdp.answers.amounts import clock
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.paging import iso
from gasoline_cdp.answers.quoting import quoted, word, written_fields
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord

_VALUE_CHARS = 100
_NAMED = re.compile(r'(?:(?P<role>[\w-]+) )?"(?P<name>.*)"', re.DOTALL)


@frozen(kw_only=True)
class ActionEntry:
    """A user action, and selectors that find its element again."""

    ts: str
    type: str
    selectors: dict[str, Any]
    fields: dict[str, Any]
    source: str
    url: str
    tab_id: int
    frame_id: str | None = None

    def lines(self, shared: SharedFacts, chars: int) -> Iterator[Line]:
        """`click button "Save"`, with a selector of the element."""
        del chars
        css = self.selectors.get("css")
        words = (
            written_element(element_of(self.selectors)),
            written_action(self.fields, shared),
            f"css={word(css)}" if isinstance(css, str) else "",
            f"by {word(self.source)}" if self.source not in {"", "user", "human"} else "",
            shared.on_page(self.url) if "to_url" not in self.fields else "",
            shared.tab(self.tab_id),
        )
        yield Line(" ".join(filter(None, words)), time=clock(self.ts), tag=word(self.type), tone="action")

    @property
    def page(self) -> str:
        """The page on which it was done."""
        return self.url


@frozen(kw_only=True)
class DomSnapshotEntry:
    """What a page showed after it loaded or changed its URL."""

    ts: str
    url: str
    trigger: str
    elements: list[dict[str, Any]]
    tab_id: int

    def lines(self, shared: SharedFacts, chars: int) -> Iterator[Line]:
        """The page, and below it one line per element."""
        words = (shared.url(self.url), shared.tab(self.tab_id))
        yield Line(" ".join(filter(None, words)), time=clock(self.ts), tag=f"after {word(self.trigger)}")
        for element in self.elements:
            yield Line(written_fields(element, chars), depth=1)


def written_element(element: str | None) -> str:
    """`button "Save"`, as `element_of` returns it: only the role is outside the quotes."""
    if not element:
        return ""
    named = _NAMED.fullmatch(element)
    if named is None:
        return word(element, _VALUE_CHARS)
    return " ".join(filter(None, (named["role"], quoted(named["name"], _VALUE_CHARS))))


def written_action(fields: Mapping[str, Any], shared: SharedFacts) -> str:
    """The fields of an action. For a navigation: the new URL and the old one."""
    if "to_url" not in fields:
        return written_fields(fields)
    came_from = fields.get("from_url")
    # By its address is how a page is usually opened.
    rest = {name: value for name, value in fields.items() if name not in {"to_url", "from_url"} and value}
    if rest.get("how") == "address":
        del rest["how"]
    words = (
        shared.url(str(fields["to_url"])),
        f"from {shared.url(str(came_from))}" if came_from and came_from != "about:blank" else "",
        written_fields(rest),
    )
    return " ".join(filter(None, words))


def show_action(record: ActionRecord) -> ActionEntry:
    """An action record as an entry."""
    return ActionEntry(
        ts=iso(record.ts),
        type=record.type,
        selectors=record.selectors,
        fields=record.fields,
        source=record.by,
        url=cut(record.source.url, ADDRESS_CHARS),
        tab_id=record.source.tab_id,
        frame_id=record.source.frame_id or None,
    )


def show_dom_snapshot(record: DomSnapshotRecord) -> DomSnapshotEntry:
    """A DOM snapshot as an entry."""
    return DomSnapshotEntry(
        ts=iso(record.ts),
        url=cut(record.source.url, ADDRESS_CHARS),
        trigger=record.trigger,
        elements=list(record.elements),
        tab_id=record.source.tab_id,
    )
