"""The command line. Each command imports what it needs when it runs, so that the quick ones are quick."""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gasoline_cdp import __version__
from gasoline_cdp.errors import Code, GasolineError

_DESCRIPTION = "See what a web page really did: console, exceptions, network and bodies, straight from Chrome."
_EPILOG = "Start with:  gasoline-cdp demo   then:  gasoline-cdp launch http://localhost:3000"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 done, 1 failed with a reason on stderr, 2 wrong usage."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    extra: list[str] = []
    if "--" in arguments:
        # Everything behind the first -- is Chrome's.
        place = arguments.index("--")
        arguments, extra = arguments[:place], arguments[place + 1 :]
    options = _parser().parse_args(arguments)
    options.extra = extra
    logging.basicConfig(
        level=logging.DEBUG if options.verbose else logging.CRITICAL,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except GasolineError as error:
        print(f"gasoline-cdp: {error.message}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    except BrokenPipeError:
        # `… | head`: the reader has seen enough. Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except Exception as error:
        logging.getLogger(__name__).exception("the command failed")
        print(
            f"gasoline-cdp: internal error ({type(error).__name__}). Run it again with --verbose, and report it.",
            file=sys.stderr,
        )
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gasoline-cdp", description=_DESCRIPTION, epilog=_EPILOG)
    parser.add_argument("--version", action="version", version=f"gasoline-cdp {__version__}")
    parser.set_defaults(verbose=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def command(name: str, summary: str, run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=summary)
        added.add_argument("--verbose", action="store_true", help="log to stderr what happens inside")
        added.set_defaults(run=run)
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
    watch.add_argument("--only", choices=("logs", "network"), help="only console, or only requests")
    watch.add_argument("--url", metavar="TEXT", help="only where the URL or page contains TEXT")
    watch.add_argument("--json", action="store_true", help="one JSON object a line")

    status = command("status", "what runs, what was captured, what was dropped", _status)
    status.add_argument("--json", action="store_true", help="as JSON")

    doctor = command("doctor", "check browser, machine and set-up, and say how to mend what is wrong", _doctor)
    _browser_options(doctor)

    demo = command("demo", "see it at work on a broken little shop that it brings along", _demo)
    demo.add_argument("--once", action="store_true", help="end when everything has been shown")
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
    parser.add_argument("--pilot", action="store_true", help="let assistants act on pages, not only look")


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port number from 0 to 65535, not {text!r}")
    return int(text)


def _config(options: argparse.Namespace, **changes: Any) -> Any:
    from gasoline_cdp.daemon import Config

    given = {name: value for name, value in vars(options).items() if name in Config.__annotations__}
    given["extra"] = tuple(options.extra)
    given["strict"] = bool(os.environ.get("GASOLINE_STRICT"))
    return Config(**{**given, **changes})


def _to_stderr(text: str) -> None:
    print(f"gasoline-cdp: {text}", file=sys.stderr, flush=True)


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
