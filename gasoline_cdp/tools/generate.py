"""`generate`: a document for other tools, made from what was captured."""

from collections.abc import Iterator
from typing import Any, Literal

import orjson
from attrs import frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.answers.json_lines import json_lines
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.output_files import write_output
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.artifacts.openapi import make_openapi
from gasoline_cdp.audits.traffic import settle_bodies
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.operation import Tool

# Maximum size of a document in an answer.
_ROOM = limits.ANSWER_BYTES_MAX - 1024
_SMALLEST_SCHEMA = 128


@frozen(kw_only=True)
class GenerateArgs:
    """Arguments of generate."""

    format: Literal["openapi"] = wire.arg("openapi: OpenAPI 3.1 of the captured endpoints.")
    url_filter: str | None = wire.arg("Include only URLs that contain this text.", default=None)
    output: str | None = wire.arg("file to write, below --artifacts", default=None)


@frozen(kw_only=True)
class GenerateAnswer:
    """The document, or the file it was written to."""

    format: str
    summary: str
    document: dict[str, Any] | None = None
    output: str | None = None
    bytes: int = 0

    def render(self) -> Iterator[Line]:
        """What was made, and where it is, or the document itself, which contains names from pages."""
        where = f" to {word(self.output)}" if self.output else ""
        yield Line(f"{self.summary} {size(self.bytes)}{where}", tag=f"{self.format}:", tone="heading")
        if self.document is not None:
            yield from map(Line, json_lines(self.document, _ROOM))


@frozen
class Document:
    """A document as JSON and as the text of a file, and a one-line summary."""

    content: dict[str, Any]
    text: bytes
    summary: str


async def make_document(args: GenerateArgs, context: Context) -> Document:
    """Make the document, whatever its size."""
    await settle_bodies(context)
    return _document(args, context, limits.OPENAPI_SCHEMA_BYTES)


def _document(args: GenerateArgs, context: Context, schema_bytes: int) -> Document:
    document = _openapi(args, context, schema_bytes)
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    count = sum(len(item.keys() - {"parameters"}) for item in document["paths"].values())
    return Document(document, text, f"OpenAPI 3.1 with {number_of(count, 'operation')}.")


async def generate(args: GenerateArgs, context: Context) -> GenerateAnswer:
    """Make the document, and return it or write it to a file."""
    made = await make_document(args, context)
    if args.output is not None:
        written = write_output(context.artifacts, args.output, made.text, ".json")
        return GenerateAnswer(format=args.format, summary=made.summary, output=written, bytes=len(made.text))
    summary = made.summary
    schema_bytes = limits.OPENAPI_SCHEMA_BYTES
    while len(wire.encode(made.content)) > _ROOM and schema_bytes > _SMALLEST_SCHEMA:
        schema_bytes //= 2
        made = _document(args, context, schema_bytes)
        summary = f"{made.summary} Large schemas are shown with fewer levels; output writes a file with more."
    if len(wire.encode(made.content)) > _ROOM:
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"The document has {len(made.text) // 1024} KB and does not fit into an answer. Narrow it with url_filter, "
            "or give output (needs --artifacts DIR).",
            problems=["the document is too large for an answer"],
        )
    return GenerateAnswer(format=args.format, summary=summary, document=made.content, bytes=len(made.text))


def _openapi(args: GenerateArgs, context: Context, schema_bytes: int) -> dict[str, Any]:
    wanted = (args.url_filter or "").lower()
    chosen = [
        contract
        for contract in context.telemetry.contracts.newest()
        if wanted in f"{contract.origin}{contract.path}".lower()
    ]
    return make_openapi(chosen, schema_bytes=schema_bytes)


TOOLS: tuple[Tool, ...] = (
    Tool(
        name="generate",
        title="Generate",
        description="Write a document from what was captured. openapi: endpoints and schemas, without values.",
        args=GenerateArgs,
        answer=GenerateAnswer,
        run=generate,
        read_only=False,
    ),
)
