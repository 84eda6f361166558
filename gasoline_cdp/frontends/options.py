"""The commands with their options, and the configuration made from them."""

import argparse
import difflib
import os
from argparse import SUPPRESS
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from gasoline_cdp import __version__
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.attach_options import attach_options, attaches, check_attach, resolve_attach
from gasoline_cdp.frontends.client_options import add_client_options
from gasoline_cdp.frontends.invocation import COMMANDS, NAME, UsageError, as_typed
from gasoline_cdp.frontends.option_groups import (
    act_options,
    browser_options,
    capture_options,
    ci_options,
    comparing_options,
    completions_options,
    demo_options,
    editor_options,
    generate_options,
    heap_options,
    launch_options,
    merge_options,
    profile_option,
    record_options,
    watch_options,
)
from gasoline_cdp.frontends.page_address import page_address

if TYPE_CHECKING:
    from gasoline_cdp.config import Config

_DESCRIPTION = "Record what web pages do in Chrome, and answer questions about it."
_EPILOG = """examples:
  gasoline-cdp demo
  gasoline-cdp launch http://localhost:3000
"""

VERBOSE_HELP = "print a detailed log to standard error"

# Commands that start a browser, and so can pass flags to it; and the one that writes such a command.
_TAKING_MORE = {"launch", "mcp", "demo", "install", "ci"}
# These are answered whatever follows them.
_ANSWERED_FIRST = {"-h", "--help", "--version"}


def parse(arguments: Sequence[str], directory: Path | None = None) -> argparse.Namespace:
    """Parse a command line that was typed in this or another directory. Raises UsageError with what is wrong."""
    arguments, extra = list(arguments), []
    if "--" in arguments:
        # Everything after the first -- is for another program: the browser, or the editor's `gasoline-cdp mcp`.
        index = arguments.index("--")
        arguments, extra = arguments[:index], arguments[index + 1 :]
    parser = make_parser()
    _check_command(parser, arguments)
    options, unknown = parser.parse_known_args(arguments)
    command: Parser = options.parser
    if not unknown and str(getattr(options, "url", None)).startswith("--"):
        # argparse takes an option with a space in it for an argument.
        unknown = [options.url]
    if unknown:
        command.refuse_unknown(unknown)
    if options.command == "ci" and not extra:
        command.error("the command is missing: gasoline-cdp ci -- npx playwright test")
    if extra and options.command not in _TAKING_MORE:
        command.error(f"what follows -- are flags for Chrome, and {options.command} starts none")
    given = vars(options)
    if problem := check_attach(given):
        command.error(problem)
    if given.get("otlp_header") and not given.get("otlp_endpoint"):
        command.error("--otlp-header is for the endpoint that --otlp-endpoint names, and there is none")
    options.extra = extra
    if getattr(options, "url", None) is not None and options.command not in {"watch", "snapshot", "generate"}:
        # Not while parsing: after a mistyped option, its value would be reported as a bad address.
        try:
            options.url = page_address(options.url, directory)
        except ValueError as error:
            command.error(f"URL {error}")
    return options


def _check_command(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """Report an unknown command in fewer words than argparse, which would list all commands."""
    typed = next((argument for argument in arguments if argument in _ANSWERED_FIRST or argument[:1] != "-"), None)
    if typed is None or typed in _ANSWERED_FIRST or typed in COMMANDS:
        return
    close = difflib.get_close_matches(typed, COMMANDS, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]!r}?" if close else f"commands: {', '.join(COMMANDS)}."
    parser.error(f"there is no command {typed[:60]!r}; {hint}")


def config_of(options: argparse.Namespace, directory: Path | None = None) -> "Config":
    """The daemon's configuration. Relative paths are resolved against the directory in which they were typed."""
    from gasoline_cdp.config import CaptureOptions, Config, ExportOptions, ServeOptions  # noqa: PLC0415 - few need it

    here = directory or Path.cwd()
    given = vars(options) | {"extra": tuple(options.extra), "otlp_header": tuple(getattr(options, "otlp_header", ()))}
    for name in ("artifacts", "profile", "uploads"):
        if given.get(name) is not None:
            # The daemon may outlive the directory that it was started in.
            given[name] = here / given[name]
    if given.get("browser") and os.sep in given["browser"]:
        given["browser"] = str(here / given["browser"])
    given |= resolve_attach(given, here)
    return Config(
        browser=_attached(given) if attaches(given) else _provider(options, given),
        url=given.get("url"),
        capture=_part(CaptureOptions, given),
        serve=_part(ServeOptions, given),
        export=_part(ExportOptions, given),
        directory=here,
        strict=bool(os.environ.get("GASOLINE_STRICT")),
    )


def _attached(given: Mapping[str, Any]) -> Any:
    """The running browser to attach to."""
    from gasoline_cdp.browser.attached import Attached  # noqa: PLC0415 - as above
    from gasoline_cdp.browser.everyday import Everyday  # noqa: PLC0415 - as above

    return _part(Everyday if given.get("everyday") else Attached, given)


def _provider(options: argparse.Namespace, given: Mapping[str, Any]) -> Any:
    """The browser to start; none if tests bring their own."""
    from gasoline_cdp.browser.launched import Launched  # noqa: PLC0415 - as above
    from gasoline_cdp.browser.no_browser import NoBrowser  # noqa: PLC0415 - as above

    if given.get("no_browser"):
        return NoBrowser()
    if options.command != "ci":
        return _part(Launched, given)
    # What follows -- is the command. Each run has a new profile, and no window unless somebody wants to watch.
    headless = given["headless"] is not False
    return _part(Launched, {**given, "extra": (), "temporary_profile": True, "headless": headless})


def _part(kind: Any, given: Mapping[str, Any]) -> Any:
    """One part of the configuration, from the options that its class has a field for."""
    from attrs import fields  # noqa: PLC0415 - as above

    return kind(**{field.name: given[field.name] for field in fields(kind) if field.name in given})


class Parser(argparse.ArgumentParser):
    """Reports what is wrong in one line, and where to read more, instead of the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Let the caller report it: a daemon reports it to its bridge."""
        stop = "" if message.endswith((".", "?")) else "."
        raise UsageError(f"{self.prog}: {message}{stop}\nSee {as_typed(f'{self.prog} --help')}")

    def arguments(self) -> list[argparse.Action]:
        """Every option and positional argument."""
        return self._actions

    def commands(self) -> dict[str, "Parser"]:
        """The parser of each command."""
        return next((action.choices for action in self._actions if isinstance(action.choices, dict)), {})

    def refuse_unknown(self, unknown: Sequence[str], hint: str = "") -> NoReturn:
        """Report the unknown words, and the option that may be meant; `hint` if there is none."""
        typed = unknown[0].partition("=")[0].replace("_", "-")
        known = [flag for action in self._actions for flag in action.option_strings if action.help != SUPPRESS]
        close = difflib.get_close_matches(typed, known, n=1, cutoff=0.7) if typed.startswith("-") else []
        meant = f"did you mean {close[0]}?" if close else hint
        if typed in known:
            meant = f"{typed} goes behind {self.prog.rpartition(' ')[2]}"
        # What follows a mistyped --otlp-header is a secret.
        shown = [typed] if typed.startswith("--otlp") else unknown
        self.error(f"unknown: {' '.join(shown)[:200]}{f'; {meant}' if meant else ''}")


class _Help(argparse.RawDescriptionHelpFormatter):
    """Makes room for the longest command. argparse forgets to count its indentation."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if isinstance(action.choices, dict):
            self._action_max_length = max(self._action_max_length, max(map(len, action.choices)) + 4)


def make_parser() -> "Parser":
    """The parser of all commands. The options of `call` and `observe` come from the tools: see calling.py."""
    parser = Parser(
        prog=NAME,
        description=_DESCRIPTION,
        epilog=as_typed(_EPILOG),
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{NAME} {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, dest="command")

    def command(name: str, summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        added.add_argument("--verbose", action="store_true", help=VERBOSE_HELP)
        added.set_defaults(parser=added)
        return added

    launch = command("launch", "start a browser and record what happens in it, until Ctrl-C")
    launch_options(launch)
    capture_options(launch)

    attach = command("attach", "record what happens in a browser that is already running")
    attach.add_argument("url", nargs="?", metavar="URL", help="page to open in a new tab")
    attach_options(attach)
    profile_option(attach)
    capture_options(attach)

    _mcp_options(command("mcp", "MCP server on standard input and output, for an editor"))
    ci_options(command("ci", "run a command, such as browser tests, and record what its pages do: ci -- COMMAND"))

    watch_options(command("watch", "show live what the browser does"))
    status = command("status", "show what is running, and how much was captured and dropped")
    status.add_argument("--json", action="store_true", help="print JSON")
    command("stop", "stop gasoline-cdp and the browser it started")
    # Their options are those of the tools: see calling.py.
    command("call", "call any tool: call TOOL --option value")
    command("observe", "show what was captured: observe errors, observe network, …")

    act_options(
        command("act", "act on the page with the pilot on, and say what that caused: act 'click #save'"),
        command("goto", "open an address, as `act`"),
        command("click", "click an element, as `act`"),
        command("fill", "fill in a field, as `act`"),
    )
    record_options(command("record", "record what a tab shows as FILE.gif or FILE.webp, until Ctrl-C"))

    generate_options(command("generate", "write what was captured as a document, a test or a reproduction"))
    comparing_options(
        command("snapshot", "save what was captured to a file, for a later comparison"),
        command("diff", "compare two snapshots: what broke, got fixed, got slower"),
    )

    heap_options(command("heap", "read a heap snapshot: what takes memory, what grew, what holds an object"))

    merge_options(command("merge", "join the artifacts of several runs of `gasoline-cdp ci`"))

    browser_options(command("doctor", "check browser, machine and editors; explain how to fix problems"))
    install = command("install", "add gasoline-cdp to an editor's MCP servers")
    editor_options(install)
    install.epilog = "Words after -- become options of `gasoline-cdp mcp` in the entry: install vscode -- --headless"
    editor_options(command("uninstall", "remove gasoline-cdp from an editor's MCP servers"))
    completions_options(command("completions", "print a completion script for your shell"))
    demo_options(command("demo", "watch a small shop that is broken on purpose"))
    return parser


def _mcp_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--standalone", action="store_true", help="use a separate browser for this client")
    # A bridge starts the daemon in the background with this option and its own options.
    parser.add_argument("--daemon", action="store_true", help=SUPPRESS)
    parser.add_argument("--idle-seconds", type=float, default=frontend_limits.IDLE_SECONDS, help=SUPPRESS)
    add_client_options(parser)
    launch_options(parser)
    attach_options(parser)
    capture_options(parser)
