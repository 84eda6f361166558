"""`get_network_bodies`: bodies of requests and responses."""

from gasoline_cdp import limits
from gasoline_cdp.answers.paging import budget_of
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.views.bodies import BodiesAnswer, BodiesArgs, list_bodies
from gasoline_cdp.views.whole_bodies import show_whole_bodies


async def _from_chrome(request_id: str, cursor: str | None, most: int, context: Context) -> BodiesAnswer:
    whole = await context.capture.bodies.read_in_full(request_id)
    shown = show_whole_bodies(whole, cursor, most)
    return BodiesAnswer(
        summary=shown.summary, entries=[shown.entry], total=1, dropped=0, cursor=shown.cursor, one=shown.complete
    )


async def get_network_bodies(args: BodiesArgs, context: Context) -> BodiesAnswer:
    """Answer from the store. One body that is not kept, or is asked for in full, is read from Chrome."""
    if args.full_body and args.request_id is not None:
        return await _from_chrome(args.request_id, args.cursor, limits.ANSWER_BYTES_MAX, context)
    answer = list_bodies(args, context)
    if args.request_id is not None and not answer.total and context.capture.bodies.mode != "off":
        return await _from_chrome(args.request_id, args.cursor, budget_of(args), context)
    return answer


TOOLS = (
    Tool(
        name="get_network_bodies",
        title="Network bodies",
        description="Bodies of failed requests, or of any by request_id, with full_body in full. Secrets are masked.",
        args=BodiesArgs,
        answer=BodiesAnswer,
        run=get_network_bodies,
    ),
)
