"""Where the program begins. An editor's bridge goes its own short way, without the parser and the logging."""

import sys

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.invocation import NAME, UsageError, as_typed

# Options of `mcp` that make it something else than a bridge.
_OTHER = {"-h", "--help", "--standalone", "--daemon", "--verbose"}


def main() -> int:
    """Run what was typed."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["mcp"] and not _OTHER.intersection(_ours(arguments)):
        return bridge_main(arguments[1:])
    from gasoline_cdp.frontends.cli.main import main as run  # noqa: PLC0415 - not for a bridge

    return run(arguments)


def _ours(arguments: list[str]) -> list[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def bridge_main(arguments: list[str]) -> int:
    """`gasoline-cdp mcp`: a bridge to the daemon, which is started with these arguments if there is none."""
    from gasoline_cdp.frontends.local.pump import Pump  # noqa: PLC0415 - not for the other commands
    from gasoline_cdp.frontends.local.starting import reach  # noqa: PLC0415 - as above

    try:
        Pump(lambda: reach(arguments, say), say).run()
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    except GasolineError as error:
        say(error.message)
        from gasoline_cdp.frontends.cli.main import serve_refusal  # noqa: PLC0415 - rarely needed

        return serve_refusal(error)
    except (KeyboardInterrupt, BrokenPipeError):
        return 0
    return 0


def say(text: str) -> None:
    """Tell the editor's log, or the person who started us."""
    print(f"{NAME}: {as_typed(text)}", file=sys.stderr, flush=True)
