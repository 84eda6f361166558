"""The view `page`: what a page is about. Needs no selector."""

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.answers.amounts import number
from gasoline_cdp.answers.lines import Line, note
from gasoline_cdp.answers.quoting import quoted, word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.dom import ask_page, require_page
from gasoline_cdp.redact import safe_text, safe_url

_DIALOG_CHARS = 200


@frozen(kw_only=True)
class FormInfo:
    """A form and the names of its fields."""

    id: str
    action: str
    fields: list[str]


@frozen(kw_only=True)
class PageInfo:
    """The page as it is now."""

    url: str
    title: str
    tab_id: int
    viewport: dict[str, float]
    scroll: dict[str, float]
    documentHeight: float  # noqa: N815 - the field names of the original tool
    forms: list[FormInfo]
    headings: list[str]
    links: int
    images: int
    interactiveElements: int  # noqa: N815
    readyState: str  # noqa: N815
    language: str | None = None
    formCount: int = 0  # noqa: N815
    headingCount: int = 0  # noqa: N815
    dialog: str | None = None

    def render(self) -> Iterator[Line]:
        """What the page is about: its title, headings and forms."""
        yield Line(f"{quoted(self.title, limits.TITLE_CHARS)} {word(self.url)} tab {self.tab_id}", tone="heading")
        facts = (
            self.readyState if self.readyState != "complete" else "",
            f"language {word(self.language)}" if self.language else "no language declared",
            number_of(self.links, "link"),
            number_of(self.images, "image"),
            number_of(self.interactiveElements, "interactive element"),
            f"viewport {number(self.viewport['width'])}x{number(self.viewport['height'])}",
            f"document {number(self.documentHeight)} high",
            f"scrolled to {number(self.scroll['x'])},{number(self.scroll['y'])}" if any(self.scroll.values()) else "",
        )
        yield Line("; ".join(filter(None, facts)))
        if self.dialog:
            yield Line(f"shows a dialog: {quoted(self.dialog, _DIALOG_CHARS)}", tone="warning")
        if self.headings:
            more = max(0, self.headingCount - len(self.headings))
            yield Line("headings: " + " ".join(quoted(text, 100) for text in self.headings) + _and_more(more))
        for form in self.forms:
            words = (word(form.id) if form.id else "", word(form.action) if form.action else "")
            fields = " ".join(map(word, form.fields))
            yield Line(f"form {' '.join(filter(None, words))}: {fields}".replace(" :", ":"))
        if (more := self.formCount - len(self.forms)) > 0:
            yield note(f"{number_of(more, 'more form')}: query_dom(selector='form')")


def _and_more(count: int) -> str:
    return f" and {count} more" if count else ""


async def page_info(tab_id: int | None, context: Context) -> PageInfo:
    """What the tab shows, for `observe` and `get_page_info`."""
    tab = context.tabs.pick(tab_id)
    facts: dict[str, Any] = await ask_page(tab, "page_info")
    await require_page(tab)
    return PageInfo(
        url=safe_url(facts["url"]),
        title=safe_text(facts["title"], limits.TITLE_CHARS),
        tab_id=tab.tab_id,
        viewport=facts["viewport"],
        scroll=facts["scroll"],
        documentHeight=facts["documentHeight"],
        forms=[
            FormInfo(
                id=safe_text(form["id"], 80),
                action=safe_url(form["action"], 300),
                fields=[safe_text(name, 60) for name in form["fields"]],
            )
            for form in facts["forms"]
        ],
        headings=[safe_text(heading, 100) for heading in facts["headings"]],
        links=facts["links"],
        images=facts["images"],
        interactiveElements=facts["interactiveElements"],
        readyState=facts["readyState"],
        language=safe_text(facts["language"], 20) or None,
        formCount=facts["formCount"],
        headingCount=facts["headingCount"],
        dialog=tab.dialog or None,
    )
