"""`gasoline-cdp call TOOL` and `observe WHAT`: any tool from a shell, with options and help from its own schema."""

import difflib
import json
import sys
from argparse import SUPPRESS, Namespace
from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gasoline_cdp import wire
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.answers.text import write_lines
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.cli.answers import read_lines, show_answer
from gasoline_cdp.frontends.cli.snapshot_files import write_named
from gasoline_cdp.frontends.invocation import NAME, UsageError, as_typed, say
from gasoline_cdp.frontends.local import bridge
from gasoline_cdp.frontends.options import VERBOSE_HELP, Parser
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.tools.registry import TOOLS

_HELP = {"-h", "--help"}
# The format of a picture by its file name extension.
_PICTURES = {".jpg": "jpeg", ".jpeg": "jpeg", ".png": "png", ".webp": "webp"}
# Options of the command itself. No tool has an argument with one of these names.
OWN = ("json", "lines", "json_args", "verbose", "help", "output_file")


def run_call(command: str, given: Sequence[str]) -> int:
    """Call a tool of the running daemon. Prints lines on a terminal, and JSON elsewhere or if asked for."""
    tool, rest, prog = _tool(command, list(given))
    parser = Parser(prog=prog, description=tool.description, allow_abbrev=False)
    add_tool_options(parser, tool, command)
    parser.add_argument("--verbose", action="store_true", help=VERBOSE_HELP)
    options = _parse(parser, rest)
    arguments = _arguments(tool, options, prog)
    pictured = tool.name == "observe" and arguments.get("what") == "screenshot"
    output: Path | None = getattr(options, "output_file", None)
    if output is not None and not pictured:
        raise UsageError(f"{prog}: --output is for the picture of screenshot. See {as_typed(f'{prog} --help')}")
    if output is not None:
        if (kind := _PICTURES.get(output.suffix.lower())) is None:
            endings = ", ".join(_PICTURES)
            raise UsageError(f"{prog}: --output {output}: the name of a picture ends in one of {endings}")
        if arguments.setdefault("format", kind) != kind:
            raise UsageError(f"{prog}: --output {output} and --format {arguments['format']} contradict each other")
    if options.json and options.lines:
        raise UsageError(f"{prog}: give --json or --lines, not both")
    as_json = options.json or not (options.lines or sys.stdout.isatty())
    answer = bridge.ask_tool(tool.name, arguments, lines=not as_json, pictures=output is not None)
    failed: bool = answer["is_error"]
    if output is not None and not failed:
        _write_picture(output, arguments["format"], answer.get("pictures"))
    if pictured and output is None and not failed:
        say("The picture itself comes with --output FILE.")
    if as_json:
        print(json.dumps(answer["data"], ensure_ascii=False))
        return 1 if failed else 0
    if options.lines and "lines" in answer and not failed:
        print(write_lines(read_lines(answer["lines"])))
    else:
        show_answer(answer)
    return 0


def _write_picture(output: Path, kind: str, pictures: list[str] | None) -> None:
    """Write the picture that came with an answer."""
    if not pictures:
        raise GasolineError(Code.DAEMON_RUNNING, "The running gasoline-cdp gave no picture. End it: gasoline-cdp stop")
    content = b64decode(pictures[0])
    write_named(output, content)
    say(f"Wrote {output} ({size(len(content))}, {kind.upper()}).")


def _tool(command: str, given: list[str]) -> tuple[Tool, list[str], str]:
    """The tool, the remaining arguments, and how usage messages begin."""
    if command == "observe":
        return TOOLS["observe"], given, f"{NAME} observe"
    if not given or given[0] in _HELP:
        print(_tool_list(), file=sys.stdout if given else sys.stderr)
        raise SystemExit(0 if given else 2)
    name, prog = given[0], f"{NAME} call"
    if name not in TOOLS:
        close = difflib.get_close_matches(name, TOOLS, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"tools: {', '.join(TOOLS)}."
        raise UsageError(f"{prog}: there is no tool {name[:60]!r}; {hint}\nSee {as_typed(f'{prog} --help')}")
    return TOOLS[name], given[1:], f"{prog} {name}"


def _tool_list() -> str:
    width = max(map(len, TOOLS)) + 2
    lines = [f"  {tool.name:<{width}}{tool.title}" for tool in TOOLS.values()]
    usage = as_typed(f"{NAME} call TOOL --help")
    return "\n".join([f"usage: {NAME} call TOOL [--argument value …]", "", "tools:", *lines, "", f"See {usage}"])


def add_tool_options(parser: Parser, tool: Tool, command: str) -> None:
    """Give a parser one option for each argument of a tool."""
    for name, schema in wire.schema_of(tool.args)["properties"].items():
        if command == "observe" and name == "what":
            parser.add_argument("what", nargs="?", metavar="WHAT", help=_help(schema))
            continue
        options: dict[str, Any] = {"dest": name, "metavar": _metavar(schema)}
        if schema["type"] == "boolean":
            options |= {"nargs": "?", "const": "true"}
        elif schema["type"] == "array":
            options |= {"action": "append"}
        parser.add_argument(f"--{name.replace('_', '-')}", help=_help(schema), **options)
        if "_" in name:
            # Spelled as in the tool's own documentation.
            parser.add_argument(f"--{name}", help=SUPPRESS, **options)
    if tool.name == "observe":
        parser.add_argument(
            "--output", dest="output_file", metavar="FILE", type=Path, help="screenshot: file to write the picture to"
        )
    parser.add_argument("--json-args", metavar="JSON", help="arguments as a JSON object (options override it)")
    parser.add_argument("--json", action="store_true", help="print JSON, also on a terminal")
    parser.add_argument("--lines", action="store_true", help="print the lines that an assistant reads")


def _metavar(schema: dict[str, Any]) -> str:
    return {"integer": "N", "number": "N", "object": "JSON", "boolean": "true|false"}.get(schema["type"], "TEXT")


def _help(schema: dict[str, Any]) -> str:
    """An argument's description with its choices, its default and whether it may be repeated."""
    parts = [str(schema.get("description", ""))]
    choices = schema.get("enum") or schema.get("items", {}).get("enum")
    if choices:
        parts.append(f"one of: {', '.join(map(str, choices))}")
    if schema.get("default", False) is not False:
        parts.append(f"default: {schema['default']}")
    if schema["type"] == "array":
        parts.append("may be repeated")
    # argparse formats help with %.
    return "; ".join(part.rstrip(".") for part in parts if part).replace("%", "%%")


def _parse(parser: Parser, given: list[str]) -> Namespace:
    options, unknown = parser.parse_known_args(given)
    if unknown:
        name = unknown[0].partition("=")[0].lstrip("-").replace("-", "_")
        others = [tool.name for tool in TOOLS.values() if name in wire.schema_of(tool.args)["properties"]]
        flag = f"--{name.replace('_', '-')}"
        parser.refuse_unknown(
            unknown, f"{flag} is an option of: {', '.join(f'call {one}' for one in others)}" if others else ""
        )
    return options


def _arguments(tool: Tool, options: Namespace, prog: str) -> dict[str, Any]:
    """The arguments for the tool. Reports everything wrong with them at once."""
    arguments = _json_arguments(options.json_args, prog)
    for name, schema in wire.schema_of(tool.args)["properties"].items():
        value = getattr(options, name)
        if value is not None:
            arguments[name] = _value(value, schema)
    try:
        wire.parse(tool.args, arguments)
    except GasolineError as error:
        raise UsageError(f"{prog}: {error.message}\nSee {as_typed(f'{prog} --help')}") from error
    return arguments


def _json_arguments(text: str | None, prog: str) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        arguments = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{prog}: --json-args is not JSON: {error}.") from error
    if not isinstance(arguments, dict):
        raise UsageError(f"{prog}: --json-args must be a JSON object, such as '{{\"limit\": 5}}'.")
    return arguments


def _value(given: Any, schema: dict[str, Any]) -> Any:
    """A typed word as the JSON value that the schema wants. The tool itself refuses a word that does not fit."""
    if schema["type"] == "array":
        items = schema.get("items", {})
        # Choices contain no commas.
        words = [word for text in given for word in (text.split(",") if "enum" in items else [text])]
        return [_value(word, items) for word in words]
    if schema.get("type") in {"integer", "number", "boolean", "object"}:
        try:
            return json.loads(given)
        except ValueError:
            return given
    return given
