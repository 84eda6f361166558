"""Options of `gasoline-cdp mcp` that concern one editor only, whichever daemon it joins. Cheap to import.

The options are sent as they were typed, in the first line of every connection. So a bridge that connects to another
daemon has the same options there.
"""

import argparse
import difflib
from collections.abc import Sequence
from typing import Literal, NamedTuple

from gasoline_cdp.frontends.listed_tools import listed_tools

# The few tools that are enough for most bugs.
CORE = ("observe", "get_network_bodies", "query_dom", "verify_fix", "act")

Answers = Literal["lines", "json"]


class ClientOptions(NamedTuple):
    """`tools` are the names of the tools that are offered; None: all. `answers` is the form of their answers."""

    tools: tuple[str, ...] | None = None
    answers: Answers = "lines"

    def offers(self, tool: str) -> bool:
        """Whether this client may see and call a tool."""
        return self.tools is None or tool in self.tools


# For a client that gave no options, and for clients over /mcp, which cannot give any.
DEFAULTS = ClientOptions()


def client_options_of(options: argparse.Namespace) -> ClientOptions:
    """The part of the typed options that concerns one client only."""
    return ClientOptions(options.tools, options.answers)


def add_client_options(parser: argparse.ArgumentParser) -> None:
    """Add these options to a command."""
    parser.add_argument(
        "--tools",
        metavar="NAMES",
        type=offered_tools,
        help=f"offer this client these tools only: all, core ({', '.join(CORE)}), or names with commas between",
    )
    parser.add_argument(
        "--answers",
        choices=("lines", "json"),
        default="lines",
        help="how tools answer this client: lines for an assistant (default), json for a program",
    )


def offered_tools(text: str) -> tuple[str, ...] | None:
    """The tools that a person named, in the order of tools/list; None for all tools."""
    named = {name.strip() for name in text.split(",")} - {""}
    if not named:
        raise argparse.ArgumentTypeError("must name a tool, core or all")
    known: Sequence[str] = CORE
    if named - {"core", "all", *CORE}:
        known = tuple(tool["name"] for tool in listed_tools())
    for name in sorted(named - {"core", "all", *known}):
        close = difflib.get_close_matches(name, ["core", "all", *known], n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"tools: {', '.join(known)}."
        raise argparse.ArgumentTypeError(f"there is no tool {name[:60]!r}; {hint}")
    if "all" in named:
        return None
    return tuple(name for name in known if name in named or ("core" in named and name in CORE))
