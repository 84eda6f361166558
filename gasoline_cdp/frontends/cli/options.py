"""What can be typed: the commands with their options, and the configuration that these make."""

import argparse
import difflib
import os
import re
from argparse import SUPPRESS
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from gasoline_cdp import __version__
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.invocation import COMMANDS, NAME, UsageError, as_typed

if TYPE_CHECKING:
    from gasoline_cdp.chrome.flags import Viewport
    from gasoline_cdp.daemon import Config

_DESCRIPTION = "See what a web page really did: console, network, bodies, straight from Chrome."
_EPILOG = """start with:
  gasoline-cdp demo
  gasoline-cdp launch http://localhost:3000
"""

# Commands that start a browser, and so can hand it flags; and the one that writes such a command.
_TAKING_MORE = {"launch", "mcp", "demo", "install"}
_UNKNOWN_COMMAND = re.compile(r"argument COMMAND: invalid choice: '(.*)' \(choose from .*\)", re.DOTALL)
_WITHOUT_SLASHES = ("about:", "data:", "file:", "chrome:", "view-source:")
_HOST = re.compile(r"([\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(?:[/?#].*)?")
_SIZE = re.compile(r"(\d{1,6})[xX×,](\d{1,6})", re.ASCII)
_THIS_MACHINE = re.compile(r"localhost|\d+(?:\.\d+){3}|\[.*", re.IGNORECASE)


def parse(arguments: Sequence[str], directory: Path | None = None) -> argparse.Namespace:
    """What was typed, in this or another directory. UsageError says what is wrong with it."""
    arguments, extra = list(arguments), []
    if "--" in arguments:
        # Everything behind the first -- is for another program: the browser, or the editor's `gasoline-cdp mcp`.
        place = arguments.index("--")
        arguments, extra = arguments[:place], arguments[place + 1 :]
    options, unknown = _parser().parse_known_args(arguments)
    command: Parser = options.parser
    if unknown:
        command.refuse_unknown(unknown)
    if extra and options.command not in _TAKING_MORE:
        command.error(f"what follows -- are flags for Chrome, and {options.command} starts none")
    given = vars(options)
    if given.get("viewport") and (given.get("browser_url") or given.get("ws_endpoint")):
        command.error("--viewport is for a browser that gasoline-cdp starts, not for one that it attaches to")
    options.extra = extra
    if getattr(options, "url", None) is not None and options.command not in {"watch", "snapshot", "generate"}:
        # Not while parsing: behind a mistyped option, its value would be told as a bad address.
        try:
            options.url = page_address(options.url, directory)
        except ValueError as error:
            command.error(f"URL {error}")
    return options


def config_of(options: argparse.Namespace, directory: Path | None = None, **changes: Any) -> "Config":
    """What the daemon is to do; paths are those of the directory in which they were typed."""
    from gasoline_cdp.daemon import Config  # noqa: PLC0415 - most commands need no browser

    given = {name: value for name, value in vars(options).items() if name in Config.__annotations__}
    given["extra"] = tuple(options.extra)
    given["strict"] = bool(os.environ.get("GASOLINE_STRICT"))
    here = given["directory"] = directory or Path.cwd()
    if given.get("artifacts") is not None:
        # The daemon may outlive the directory that it was started in.
        given["artifacts"] = here / given["artifacts"]
    if given.get("profile") is not None:
        given["profile"] = here / given["profile"]
    if given.get("browser") and os.sep in given["browser"]:
        given["browser"] = str(here / given["browser"])
    if given.get("browser_url") or given.get("ws_endpoint"):
        given["mode"] = "attach"
    return Config(**{**given, **changes})


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and where to read more, instead of the whole usage."""

    def error(self, message: str) -> NoReturn:
        """Leave it to the caller to say it: a daemon says it to its bridge."""
        if unknown := _UNKNOWN_COMMAND.fullmatch(message):
            close = difflib.get_close_matches(unknown[1], COMMANDS, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"commands: {', '.join(COMMANDS)}."
            message = f"there is no command {unknown[1][:60]!r}; {hint}"
        stop = "" if message.endswith((".", "?")) else "."
        raise UsageError(f"{self.prog}: {message}{stop}\nSee {as_typed(f'{self.prog} --help')}")

    def refuse_unknown(self, unknown: Sequence[str], hint: str = "") -> NoReturn:
        """Say which words are not known, and which option may be meant; `hint` if none is."""
        typed = unknown[0].partition("=")[0].replace("_", "-")
        known = [flag for action in self._actions for flag in action.option_strings if action.help != SUPPRESS]
        close = difflib.get_close_matches(typed, known, n=1, cutoff=0.7) if typed.startswith("-") else []
        meant = f"did you mean {close[0]}?" if close else hint
        self.error(f"unknown: {' '.join(unknown)[:200]}{f'; {meant}' if meant else ''}")


class _Help(argparse.RawDescriptionHelpFormatter):
    """Leaves room for the longest command, of which argparse forgets the indentation."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        if isinstance(action.choices, dict):
            self._action_max_length = max(self._action_max_length, max(map(len, action.choices)) + 4)


def _parser() -> argparse.ArgumentParser:
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
        added.add_argument("--verbose", action="store_true", help="log to stderr what happens inside")
        added.set_defaults(parser=added)
        return added

    launch = command("launch", "start a browser and watch it until Ctrl-C")
    _launch_options(launch)
    _capture_options(launch)

    attach = command("attach", "watch a browser that is already running; never closes it")
    attach.add_argument("url", nargs="?", metavar="URL", help="open this address in a new tab")
    _attach_options(attach)
    _capture_options(attach)

    mcp = command("mcp", "MCP over stdio for an editor; joins what runs, or starts it")
    mcp.add_argument("--standalone", action="store_true", help="a browser for this client alone, in this process")
    # How a bridge starts the daemon in the background, with the options that it was given itself.
    mcp.add_argument("--daemon", action="store_true", help=SUPPRESS)
    mcp.add_argument("--idle-seconds", type=float, default=frontend_limits.IDLE_SECONDS, help=SUPPRESS)
    _launch_options(mcp)
    _attach_options(mcp)
    _capture_options(mcp)

    watch = command("watch", "live view of what the running gasoline-cdp sees")
    watch.add_argument("--errors", action="store_true", help="only what went wrong")
    watch.add_argument("--only", choices=("logs", "network", "websockets", "actions"), help="only one kind")
    watch.add_argument("--url", metavar="TEXT", help="only where the URL or page contains TEXT")
    watch.add_argument("--json", action="store_true", help="one JSON object a line")

    status = command("status", "what runs, what was captured, what was dropped")
    status.add_argument("--json", action="store_true", help="as JSON")

    command("stop", "end the running gasoline-cdp and its browser")
    # Their options are those of the tools: see calling.py.
    command("call", "call any tool from the shell: call TOOL --argument value")
    command("observe", "what the page did: observe errors, network, logs, …")

    generate = command("generate", "write a document made of what was captured: OpenAPI of the API that pages use")
    generate.add_argument("--format", required=True, choices=("openapi",), help="openapi: OpenAPI 3.1")
    generate.add_argument("--output", metavar="FILE", type=Path, required=True, help="the file to write")
    generate.add_argument("--url", metavar="TEXT", help="only where the URL contains TEXT")
    _comparing_options(
        command("snapshot", "write what was captured into a file, to compare it later"),
        command("diff", "compare two snapshots: what broke, was mended, got slower"),
    )

    doctor = command("doctor", "check browser, machine and editors; say how to mend them")
    _browser_options(doctor)

    install = command("install", "add gasoline-cdp to an editor's MCP servers")
    _editor_options(install)
    install.epilog = "What follows -- becomes options of `gasoline-cdp mcp` in that entry: install vscode -- --headless"
    uninstall = command("uninstall", "remove gasoline-cdp from an editor's MCP servers")
    _editor_options(uninstall)

    demo = command("demo", "see it at work on a broken little shop that it brings along")
    demo.add_argument("--once", action="store_true", help="end when everything has been shown, even with a window")
    _browser_options(demo)
    _headless_options(demo)
    return parser


def _comparing_options(snapshot: argparse.ArgumentParser, diff: argparse.ArgumentParser) -> None:
    snapshot.add_argument("file", metavar="FILE", type=Path, help="the file to write; with --load, to read")
    which = snapshot.add_mutually_exclusive_group()
    which.add_argument("--load", metavar="NAME", help="give this file to the running gasoline-cdp, under a name")
    which.add_argument("--baseline", metavar="NAME", help="write the baseline that `analyze` keeps under this name")
    snapshot.add_argument("--url", metavar="TEXT", help="only where the URL or page contains TEXT")
    snapshot.add_argument(
        "--include",
        metavar="CHECK",
        # One value each: a list would take FILE for another check.
        action="append",
        default=[],
        choices=("accessibility", "contracts", "security"),
        help="check this too: accessibility, contracts or security; may be repeated",
    )

    diff.add_argument("before", metavar="BEFORE", type=Path, help="a file of `gasoline-cdp snapshot`")
    diff.add_argument("after", metavar="AFTER", type=Path, help="another, taken later")
    diff.add_argument("--html", metavar="FILE", type=Path, help="write a page that shows the comparison")
    diff.add_argument("--json", action="store_true", help="as JSON")
    diff.add_argument("--fail-on", choices=("regressed",), help="exit with 3 if the second is worse")


def _editor_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("editor", nargs="?", metavar="EDITOR", help="vscode, claude-code, cursor, …; none: a list")
    parser.add_argument("--project", action="store_true", help="in this directory's configuration, not the user's")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")


def _browser_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--browser", metavar="PATH", help="which Chrome, Chromium or Edge (default: found by itself)")
    parser.add_argument(
        "--no-sandbox", action="store_true", help="start Chrome without its sandbox (as root, in containers)"
    )


def _headless_options(parser: argparse.ArgumentParser) -> None:
    window = parser.add_mutually_exclusive_group()
    window.add_argument("--headless", action="store_const", const=True, default=None, help="without a window")
    window.add_argument("--headed", dest="headless", action="store_const", const=False, help="with a window")


def _launch_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", nargs="?", metavar="URL", help="open this address")
    _headless_options(parser)
    _browser_options(parser)
    profile = parser.add_mutually_exclusive_group()
    profile.add_argument(
        "--profile", metavar="DIR", type=Path, help="profile directory (default: one of its own that stays)"
    )
    profile.add_argument("--temporary-profile", action="store_true", help="a fresh profile, thrown away at the end")
    parser.add_argument(
        "--viewport",
        metavar="WxH",
        type=_viewport,
        help="size of pages in CSS pixels (default: 1280x800 if headless)",
    )
    parser.add_argument(
        "--debug-port",
        metavar="N",
        type=_port,
        help="also open a TCP debugging port (0: any) for other clients",
    )


def _attach_options(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--browser-url", metavar="URL", help="the browser's debugging address, http://127.0.0.1:9222")
    where.add_argument("--ws-endpoint", metavar="URL", help="its WebSocket address, ws://…")


def _capture_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bodies",
        choices=("off", "errors", "all"),
        default="errors",
        help="which bodies to keep (default: errors)",
    )
    parser.add_argument("--no-websockets", dest="websockets", action="store_false", help="do not follow WebSockets")
    parser.add_argument("--pilot", action="store_true", help="let assistants act on pages, not only look")
    parser.add_argument("--port", metavar="N", type=_port, help="serve HTTP on this port (default: 7890; 0: any)")
    parser.add_argument("--artifacts", metavar="DIR", type=Path, help="let assistants write files into DIR")
    parser.add_argument("--no-token", action="store_true", help="HTTP without a token: only in a container of its own")


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port number from 0 to 65535, not {text!r}")
    return int(text)


def _viewport(text: str) -> "Viewport":
    from gasoline_cdp.chrome.flags import Viewport  # noqa: PLC0415 - most commands need no browser

    if not (found := _SIZE.fullmatch(text)):
        raise argparse.ArgumentTypeError(f"must be width x height, such as 1280x800, not {text[:60]!r}")
    width, height = int(found[1]), int(found[2])
    if not all(frontend_limits.VIEWPORT_MIN <= side <= frontend_limits.VIEWPORT_MAX for side in (width, height)):
        raise argparse.ArgumentTypeError(
            f"sides must have {frontend_limits.VIEWPORT_MIN} to {frontend_limits.VIEWPORT_MAX} pixels"
        )
    return Viewport(width, height)


def page_address(text: str, directory: Path | None = None) -> str:
    """What a person types for a page, as the URL that Chrome needs: `localhost:3000`, `example.org`, a file."""
    if "://" in text or text.lower().startswith(_WITHOUT_SLASHES):
        return text
    file = (directory or Path.cwd()) / text
    try:
        if text and file.is_file():
            return file.as_uri()
    except OSError:
        # A name that no file can have, or a directory that may not be looked into: then it is no file of ours.
        pass
    if found := _HOST.fullmatch(text):
        host, port = found.groups()
        if port or _THIS_MACHINE.fullmatch(host):
            # Somebody's development server.
            return f"http://{text}"
        if "." in host:
            return f"https://{text}"
    raise ValueError(f"must be an address such as http://localhost:3000, not {text[:60]!r}")
