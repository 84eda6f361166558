"""`generate`: a document for other tools, made from what was captured."""

from collections.abc import Iterator
from typing import Any

from attrs import evolve, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.answers.json_lines import json_lines
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.output_files import write_output
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.comparisons.generate_args import Document, GenerateArgs
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool

# Maximum size of a document in an answer.
_ROOM = limits.ANSWER_BYTES_MAX - 1024
_SMALLEST_SCHEMA = 128


@frozen(kw_only=True)
class GenerateAnswer:
    """The document, or the file it was written to."""

    format: str
    summary: str
    document: dict[str, Any] | None = None
    # A document that is not JSON.
    text: str | None = None
    output: str | None = None
    bytes: int = 0

    def render(self) -> Iterator[Line]:
        """What was made, and where it is, or the document itself, which contains names from pages."""
        where = f" to {word(self.output)}" if self.output else ""
        yield Line(f"{self.summary} {size(self.bytes)}{where}", tag=f"{self.format}:", tone="heading")
        if self.document is not None:
            yield from map(Line, json_lines(self.document, _ROOM))
        if self.text is not None:
            # Behind the mark: much of it was written by pages.
            yield from (Line(f"| {line}" if line else "|") for line in self.text.splitlines())


async def generate(args: GenerateArgs, context: Context) -> GenerateAnswer:
    """Make the document, and return it or write it to a file."""
    from gasoline_cdp.comparisons.documents import make_document  # noqa: PLC0415 - few daemons are asked for one

    made = await make_document(args, context)
    if args.output is not None:
        written = write_output(context.artifacts, args.output, made.text, made.suffix)
        return GenerateAnswer(format=args.format, summary=made.summary, output=written, bytes=len(made.text))
    if args.format == "openapi":
        made = _smaller(made, args, context)
    content = made.text.decode() if made.content is None else made.content
    if args.format == "pr_summary" and isinstance(content, str):
        content = _beginning(content)
    if len(wire.encode(content)) > _ROOM:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"The document has {len(made.text) // 1024} KB and does not fit into an answer. Narrow it with url_filter, "
            "or give output (needs --artifacts DIR).",
            problems=["the document is too large for an answer"],
        )
    text, document = (content, None) if isinstance(content, str) else (None, content)
    return GenerateAnswer(format=args.format, summary=made.summary, bytes=len(made.text), text=text, document=document)


def _beginning(text: str) -> str:
    """As much of a summary as an answer usually has: what matters most comes first in it."""
    shown = text
    while len(wire.encode(shown)) > limits.ANSWER_BYTES - 1024:
        shown = shown[: len(shown) * 9 // 10]
    return shown if shown == text else f"{shown}\n\n… (cut; output writes all of it)\n"


def _smaller(made: Document, args: GenerateArgs, context: Context) -> Document:
    """The same API with fewer levels of its schemas, until it fits."""
    from gasoline_cdp.comparisons.documents import make_api_document  # noqa: PLC0415 - as above

    schema_bytes = limits.OPENAPI_SCHEMA_BYTES
    while len(wire.encode(made.content)) > _ROOM and schema_bytes > _SMALLEST_SCHEMA:
        schema_bytes //= 2
        made = make_api_document(args, context, schema_bytes)
        made = evolve(
            made, summary=f"{made.summary} Large schemas are shown with fewer levels; output writes a file with more."
        )
    return made


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="generate",
        title="Generate",
        description="A document of what was captured. sarif: of the audits that ran; test: of what the user did; "
        "reproduction: of an error.",
        args=GenerateArgs,
        answer=GenerateAnswer,
        run=generate,
        read_only=False,
    ),
)
