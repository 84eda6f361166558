"""`get_page_info`: what a page is about. Needs no selector."""

from attrs import frozen

from gasoline_cdp.answers.arguments import tab_argument
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.views.page import PageInfo, page_info


@frozen(kw_only=True)
class PageArgs:
    """Arguments of get_page_info."""

    tab_id: int | None = tab_argument()


async def get_page_info(args: PageArgs, context: Context) -> PageInfo:
    """Ask the page."""
    return await page_info(args.tab_id, context)


TOOLS = (
    Tool(
        name="get_page_info",
        title="Page info",
        description="URL, title, size, forms, headings and element counts of the current page. Cheap.",
        args=PageArgs,
        answer=PageInfo,
        run=get_page_info,
    ),
)
