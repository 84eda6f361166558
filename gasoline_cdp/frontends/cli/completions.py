"""`gasoline-cdp completions SHELL`: the script that lets a shell complete our commands and options.

shtab writes it from the parser. No other command imports shtab.
"""

import shtab

from gasoline_cdp import wire
from gasoline_cdp.frontends.cli.calling import add_tool_options
from gasoline_cdp.frontends.options import Parser, make_parser
from gasoline_cdp.operations.operation import Tool
from gasoline_cdp.tools.registry import TOOLS

# What a shell offers for an argument, by the argument's placeholder in the help.
_OFFERED = {"FILE": shtab.FILE, "PATH": shtab.FILE, "BEFORE": shtab.FILE, "AFTER": shtab.FILE, "DIR": shtab.DIRECTORY}


def run_completions(shell: str) -> int:
    """Print the script for one shell."""
    print(shtab.complete(_complete_parser(), shell=shell))
    return 0


def _complete_parser() -> Parser:
    """The parser of all commands, with the options of every tool and the options that take files."""
    parser = make_parser()
    commands = parser.commands()
    _add_tool(commands["observe"], TOOLS["observe"], "observe")
    tools = commands["call"].add_subparsers(dest="tool", metavar="TOOL")
    for tool in TOOLS.values():
        _add_tool(tools.add_parser(tool.name, help=tool.title), tool, "call")
    for command in commands.values():
        _offer_files(command)
    return parser


def _add_tool(parser: Parser, tool: Tool, command: str) -> None:
    add_tool_options(parser, tool, command)
    schemas = wire.schema_of(tool.args)["properties"]
    for argument in parser.arguments():
        schema = schemas.get(argument.dest, {})
        # Not in `add_tool_options`: argparse would refuse a wrong word before the tool lists every problem.
        argument.choices = schema.get("enum") or schema.get("items", {}).get("enum")
    _offer_files(parser)


def _offer_files(parser: Parser) -> None:
    for argument in parser.arguments():
        if offered := _OFFERED.get(str(argument.metavar)):
            argument.complete = offered  # type: ignore[attr-defined]  # shtab reads it
