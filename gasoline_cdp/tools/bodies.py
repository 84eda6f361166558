"""`get_network_bodies`: bodies of requests and responses."""

import trio

from gasoline_cdp import limits
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.answers.paging import budget_of
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.views.bodies import BodiesAnswer, BodiesArgs, list_bodies
from gasoline_cdp.views.body_files import write_bodies
from gasoline_cdp.views.whole_bodies import show_whole_bodies

_PATH_CHARS = 1000


async def _from_chrome(request_id: str, cursor: str | None, most: int, context: Context) -> BodiesAnswer:
    whole = await context.capture.bodies.read_in_full(request_id)
    shown = show_whole_bodies(whole, cursor, most)
    return BodiesAnswer(
        summary=shown.summary, entries=[shown.entry], total=1, dropped=0, cursor=shown.cursor, one=shown.complete
    )


async def _to_file(args: BodiesArgs, output: str, context: Context) -> BodiesAnswer:
    if args.request_id is None:
        problem = "output needs request_id: one request's bodies are written"
        raise GasolineError(Code.INVALID_PARAMS, f"{problem}.", problems=[problem])
    whole = await context.capture.bodies.read_in_full(args.request_id)
    written = await trio.to_thread.run_sync(write_bodies, whole, context.artifacts, output)
    sent = f", its request body to {word(written.sent_path, _PATH_CHARS)}" if written.sent_path else ""
    path = word(written.path, _PATH_CHARS)
    return BodiesAnswer(
        summary=f"Wrote the body of {whole.record.id}, {size(written.size)}, to {path}{sent}.",
        entries=[],
        total=1,
        dropped=0,
        output=written.path,
        request_output=written.sent_path,
    )


async def get_network_bodies(args: BodiesArgs, context: Context) -> BodiesAnswer:
    """Answer from the store. One body that is not kept, or is asked for in full, is read from Chrome."""
    if args.output is not None:
        return await _to_file(args, args.output, context)
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
        read_only=False,
    ),
)
