"""The command line. Each command imports what it needs when it runs, so that the quick ones are quick."""

import argparse
import errno
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from gasoline_cdp import __version__
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.invocation import NAME, as_typed

_DESCRIPTION = "See what a web page really did: console, network, bodies, straight from Chrome."
_EPILOG = """start with:
  gasoline-cdp demo
  gasoline-cdp launch http://localhost:3000
"""

# Commands that start a browser, and so can hand it flags.
_STARTING = {"launch", "mcp", "demo"}
_UNKNOWN_COMMAND = re.compile(r"argument COMMAND: invalid choice: '(.*)' \(choose from (.*)\)", re.DOTALL)
_WITHOUT_SLASHES = ("about:", "data:", "file:", "chrome:", "view-source:")
_HOST = re.compile(r"([\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-fA-F:.]+\])(:\d{1,5})?(?:[/?#].*)?")
_THIS_MACHINE = re.compile(r"localhost|\d+(?:\.\d+){3}|\[.*", re.IGNORECASE)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 done, 1 failed with a reason on stderr, 2 wrong usage."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal without our signs shows a question mark instead of ending us. (None: closed by the caller.)
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    options = _parse(list(sys.argv[1:] if argv is None else argv))
    logging.basicConfig(
        level=logging.DEBUG if options.verbose else logging.CRITICAL,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        code = run(options)
        if sys.stdout is not None:
            # Here rather than at the interpreter's end, where a full disk would be told as a traceback.
            sys.stdout.flush()
    except GasolineError as error:
        _to_stderr(error.message)
        return 1
    except KeyboardInterrupt:
        return 0
    except BrokenPipeError:
        # `… | head`: the reader has seen enough. Python would complain once more when it closes stdout.
        _silence_stdout()
        return 0
    except Exception as error:
        logging.getLogger(__name__).exception("the command failed")
        if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EIO, errno.EDQUOT}:
            _silence_stdout()
            _to_stderr(f"Cannot write: {error.strerror}.")
        else:
            _to_stderr(f"internal error ({type(error).__name__}). Run it again with --verbose, and report it.")
        return 1
    return code


def _silence_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = _parser()
    if not arguments:
        parser.print_help(sys.stderr)
        raise SystemExit(2)
    extra: list[str] = []
    if "--" in arguments:
        # Everything behind the first -- is Chrome's.
        place = arguments.index("--")
        arguments, extra = arguments[:place], arguments[place + 1 :]
    options, unknown = parser.parse_known_args(arguments)
    command: _Parser = options.parser
    if unknown:
        command.error(f"unknown: {' '.join(unknown)[:200]}")
    if extra and options.command not in _STARTING:
        command.error(f"what follows -- are flags for Chrome, and {options.command} starts none")
    options.extra = extra
    if getattr(options, "url", None) is not None and options.command != "watch":
        # Not while parsing: behind a mistyped option, its value would be told as a bad address.
        try:
            options.url = page_address(options.url)
        except ValueError as error:
            command.error(f"URL {error}")
    return options


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and where to read more, instead of the whole usage."""

    def error(self, message: str) -> NoReturn:
        if unknown := _UNKNOWN_COMMAND.fullmatch(message):
            import difflib

            known = re.findall(r"'([a-z]+)'", unknown[2])
            close = difflib.get_close_matches(unknown[1], known, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else f"commands: {', '.join(known)}."
            message = f"there is no command {unknown[1][:60]!r}; {hint}"
        stop = "" if message.endswith((".", "?")) else "."
        self.exit(2, f"{self.prog}: {message}{stop}\nSee {as_typed(f'{self.prog} --help')}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=NAME,
        description=_DESCRIPTION,
        epilog=as_typed(_EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"{NAME} {__version__}")
    parser.set_defaults(verbose=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, dest="command")

    def command(name: str, summary: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=summary)
        added.add_argument("--verbose", action="store_true", help="log to stderr what happens inside")
        added.set_defaults(run=run, parser=added)
        return added

    launch = command("launch", "start a browser and watch it until Ctrl-C", _launch)
    _launch_options(launch)
    _capture_options(launch)

    attach = command("attach", "watch a browser that is already running; never closes it", _attach)
    attach.add_argument("url", nargs="?", metavar="URL", help="open this address in a new tab")
    _attach_options(attach)
    _capture_options(attach)

    mcp = command("mcp", "MCP over stdio for an editor; joins the running gasoline-cdp if there is one", _mcp)
    mcp.add_argument("--standalone", action="store_true", help="a browser for this client alone, in this process")
    _launch_options(mcp)
    _attach_options(mcp)
    _capture_options(mcp)

    watch = command("watch", "live view of what the running gasoline-cdp sees", _watch)
    watch.add_argument("--errors", action="store_true", help="only what went wrong")
    watch.add_argument("--only", choices=("logs", "network", "websockets"), help="only one kind")
    watch.add_argument("--url", metavar="TEXT", help="only where the URL or page contains TEXT")
    watch.add_argument("--json", action="store_true", help="one JSON object a line")

    status = command("status", "what runs, what was captured, what was dropped", _status)
    status.add_argument("--json", action="store_true", help="as JSON")

    doctor = command("doctor", "check browser, machine and set-up, and say how to mend what is wrong", _doctor)
    _browser_options(doctor)

    demo = command("demo", "see it at work on a broken little shop that it brings along", _demo)
    demo.add_argument("--once", action="store_true", help="end when everything has been shown, even with a window")
    _browser_options(demo)
    _headless_options(demo)
    return parser


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
    parser.add_argument("--artifacts", metavar="DIR", type=_directory, help="let assistants write files into DIR")
    parser.add_argument("--pilot", action="store_true", help="let assistants act on pages, not only look")


def _directory(text: str) -> Path:
    # The daemon may outlive the directory that it was started in.
    return Path(text).absolute()


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port number from 0 to 65535, not {text!r}")
    return int(text)


def page_address(text: str) -> str:
    """What a person types for a page, as the URL that Chrome needs: `localhost:3000`, `example.org`, a file."""
    if "://" in text or text.lower().startswith(_WITHOUT_SLASHES):
        return text
    if Path(text).is_file():
        return Path(text).absolute().as_uri()
    if found := _HOST.fullmatch(text):
        host, port = found.groups()
        if port or _THIS_MACHINE.fullmatch(host):
            # Somebody's development server.
            return f"http://{text}"
        if "." in host:
            return f"https://{text}"
    raise ValueError(f"must be an address such as http://localhost:3000, not {text[:60]!r}")


def _config(options: argparse.Namespace, **changes: Any) -> Any:
    from gasoline_cdp.daemon import Config

    given = {name: value for name, value in vars(options).items() if name in Config.__annotations__}
    given["extra"] = tuple(options.extra)
    given["strict"] = bool(os.environ.get("GASOLINE_STRICT"))
    return Config(**{**given, **changes})


def _to_stderr(text: str) -> None:
    print(f"{NAME}: {as_typed(text)}", file=sys.stderr, flush=True)


def _launch(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.serve import run_until_signal, serve_daemon

    return run_until_signal(serve_daemon, _config(options), _to_stderr)


def _attach(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.serve import run_until_signal, serve_daemon

    return run_until_signal(serve_daemon, _config(options, mode="attach"), _to_stderr)


def _mcp(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends import bridge

    if not options.standalone and (daemon := bridge.connect()) is not None:
        bridge.pump(daemon)
        return 0
    from gasoline_cdp.frontends.serve import run_until_signal, serve_stdio

    attaching = options.browser_url or options.ws_endpoint
    return run_until_signal(serve_stdio, _config(options, mode="attach" if attaching else "launch"), _to_stderr)


def _watch(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.live import run_watch

    return run_watch(errors=options.errors, only=options.only, url=options.url, as_json=options.json)


def _status(options: argparse.Namespace) -> int:
    import json

    from gasoline_cdp.frontends import bridge
    from gasoline_cdp.frontends.terminal import open_console, show_status

    data, is_error = bridge.call("observe", {"what": "status"})
    if options.json:
        print(json.dumps(data))
    elif is_error:
        raise GasolineError(Code(data["error"]), data["message"])
    else:
        show_status(open_console(), data)
    return 1 if is_error else 0


def _doctor(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.doctor import run_doctor

    return run_doctor(options.browser, no_sandbox=options.no_sandbox)


def _demo(options: argparse.Namespace) -> int:
    from gasoline_cdp.frontends.demo import run_demo
    from gasoline_cdp.frontends.serve import run_until_signal
    from gasoline_cdp.frontends.terminal import open_console

    return run_until_signal(run_demo, _config(options), open_console(), options.once)
