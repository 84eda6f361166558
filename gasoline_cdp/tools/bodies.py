"""`get_network_bodies`: bodies of requests and responses."""

from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.views.bodies import BodiesAnswer, BodiesArgs, list_bodies
from gasoline_cdp.views.whole_bodies import show_whole_bodies


async def _in_full(request_id: str, cursor: str | None, context: Context) -> BodiesAnswer:
    whole = await context.capture.bodies.read_in_full(request_id)
    shown = show_whole_bodies(whole, cursor)
    return BodiesAnswer(summary=shown.summary, entries=[shown.entry], total=1, dropped=0, cursor=shown.cursor)


async def get_network_bodies(args: BodiesArgs, context: Context) -> BodiesAnswer:
    """Answer from the store, or read one body in full."""
    if args.full_body and args.request_id is not None:
        return await _in_full(args.request_id, args.cursor, context)
    return list_bodies(args, context)


TOOLS = (
    Tool(
        name="get_network_bodies",
        title="Network bodies",
        description=(
            "Bodies of requests and responses, secrets masked. By default of failed requests; request_id + full_body "
            "reads any one in full from Chrome."
        ),
        args=BodiesArgs,
        answer=BodiesAnswer,
        run=get_network_bodies,
    ),
)
