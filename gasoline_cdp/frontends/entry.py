"""The entry point. An editor's bridge takes a short path, without the parser and the logging."""

import os
import sys

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.hidden_arguments import hide_arguments, take_hidden
from gasoline_cdp.frontends.invocation import say

# With one of these options `mcp` is not a bridge.
_OTHER = {"-h", "--help", "--standalone", "--daemon", "--verbose"}


def main() -> int:
    """Run the command line."""
    arguments = sys.argv[1:]
    hide_arguments(arguments)
    if arguments == ["mcp", "--daemon"]:
        arguments += take_hidden()
    closed = _fill_closed_streams()
    if arguments[:1] == ["mcp"] and {"input", "output"}.intersection(closed):
        say(f"An editor speaks to mcp over standard input and output, and standard {closed[0]} is closed.")
        return 1
    if arguments[:1] == ["mcp"] and not _OTHER.intersection(_ours(arguments)):
        return _bridge(arguments[1:])
    from gasoline_cdp.frontends.deferred_imports import (  # noqa: PLC0415 - not for a bridge
        defer_import,
        hash_without_openssl,
    )

    # Libraries import them in any case: for connections to wss://, archives, names and addresses of odd hosts, and
    # versions. Misspelt options need difflib.
    for name in ("ssl", "bz2", "lzma", "idna", "ipaddress", "importlib.metadata", "difflib"):
        defer_import(name)
    hash_without_openssl()
    from gasoline_cdp.frontends.cli.main import main as run  # noqa: PLC0415 - not for a bridge

    return run(arguments)


def _ours(arguments: list[str]) -> list[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _bridge(arguments: list[str]) -> int:
    from gasoline_cdp.frontends.local.bridge_command import run_bridge  # noqa: PLC0415 - not for the other commands

    return run_bridge(arguments, _serve_refusal)


def _serve_refusal(error: GasolineError, arguments: list[str]) -> int:
    from gasoline_cdp.frontends.cli.main import serve_refusal  # noqa: PLC0415 - rarely needed

    return serve_refusal(error, arguments)


def _fill_closed_streams() -> list[str]:
    """Open /dev/null for each closed standard stream. Otherwise the next file that is opened would get its number."""
    closed = []
    for descriptor, name in enumerate(("input", "output", "error")):
        try:
            os.fstat(descriptor)
        except OSError:
            # This opens the lowest free descriptor, which is this one.
            os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(descriptor, True)
            closed.append(name)
    if sys.stderr is None:
        # Otherwise what is printed to stderr would go to standard output.
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for the rest of the process
    return closed
