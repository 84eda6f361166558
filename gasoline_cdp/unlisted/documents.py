"""Documents as files, whatever their size: the HAR file of a failing test, and what `generate` makes besides."""

from attrs import frozen

from gasoline_cdp.comparisons.generate_args import GenerateArgs
from gasoline_cdp.comparisons.requests_document import make_requests_document
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Needs, Operation
from gasoline_cdp.operations.record_filters import settle_bodies


@frozen(kw_only=True)
class WholeDocument:
    """The text of a file, and a one-line summary."""

    text: str
    summary: str
    suffix: str = ".json"


async def generate_document(args: GenerateArgs, context: Context) -> WholeDocument:
    """Make a document, whatever its size."""
    if args.format == "har":
        # Of each failing test. What makes the other documents takes megabytes, and is loaded when one is asked for.
        await settle_bodies(context)
        made = make_requests_document(args, context)
    else:
        from gasoline_cdp.comparisons.documents import make_document  # noqa: PLC0415 - as said above

        made = await make_document(args, context)
    return WholeDocument(text=made.text.decode(), summary=made.summary, suffix=made.suffix)


DOCUMENT = Operation(
    name="generate", args=GenerateArgs, answer=WholeDocument, run=generate_document, needs=Needs(browser=False)
)
