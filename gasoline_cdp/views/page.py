"""The view `page`: what a page is about, without naming a selector."""

from typing import Any

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.dom import ask_page, require_page
from gasoline_cdp.redact import safe_text, safe_url


@frozen(kw_only=True)
class FormInfo:
    """A form and the names of its fields."""

    id: str
    action: str
    fields: list[str]


@frozen(kw_only=True)
class PageInfo:
    """The page as it stands now."""

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


async def page_info(tab_id: int | None, context: Context) -> PageInfo:
    """What the tab shows; `observe` and `get_page_info` share it."""
    tab = context.tabs.pick(tab_id)
    found: dict[str, Any] = await ask_page(tab, "page_info")
    await require_page(tab)
    return PageInfo(
        url=safe_url(found["url"]),
        title=safe_text(found["title"], limits.TITLE_CHARS),
        tab_id=tab.tab_id,
        viewport=found["viewport"],
        scroll=found["scroll"],
        documentHeight=found["documentHeight"],
        forms=[
            FormInfo(
                id=safe_text(form["id"], 80),
                action=safe_url(form["action"], 300),
                fields=[safe_text(name, 60) for name in form["fields"]],
            )
            for form in found["forms"]
        ],
        headings=[safe_text(heading, 100) for heading in found["headings"]],
        links=found["links"],
        images=found["images"],
        interactiveElements=found["interactiveElements"],
        readyState=found["readyState"],
        language=safe_text(found["language"], 20) or None,
        formCount=found["formCount"],
        headingCount=found["headingCount"],
        dialog=tab.dialog or None,
    )
