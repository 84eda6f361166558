"""Options that several commands share, and those of commands with many."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.attach_options import allow_options
from gasoline_cdp.frontends.export_options import export_options
from gasoline_cdp.frontends.invocation import UsageError

if TYPE_CHECKING:
    from gasoline_cdp.chrome.flags import Viewport

_SIZE = re.compile(r"(\d{1,6})[xX×,](\d{1,6})", re.ASCII)


def ci_options(parser: argparse.ArgumentParser) -> None:
    """Options of `ci`."""
    parser.add_argument("--artifacts", metavar="DIR", type=Path, help="write HAR, SARIF, summary and JUnit to DIR")
    parser.add_argument(
        "--fail-on",
        metavar="GATES",
        action="append",
        help="exit with code 3 on: console-errors, network-errors, a11y:serious, security:critical, "
        "contract-violations, budgets, leaks; separated by commas (default: those of gasoline.toml)",
    )
    parser.add_argument("--junit", metavar="FILE", type=Path, help="JUnit file that the command writes, to add to")
    parser.add_argument(
        "--compare", metavar="FILE", type=Path, help="file of `gasoline-cdp snapshot` to compare with in the summary"
    )
    parser.add_argument("--no-browser", action="store_true", help="start no browser: the tests bring their own")
    browser_options(parser)
    headless_options(parser)
    parser.add_argument(
        "--debug-port",
        metavar="N",
        type=_port,
        default=0,
        help="port of the browser's debugging (default: any free)",
    )
    bodies_options(parser)
    allow_options(parser)
    port_option(parser)
    export_options(parser)
    parser.epilog = (
        "The command gets GASOLINE_URL, GASOLINE_TOKEN, GASOLINE_INGEST_KEY and GASOLINE_CDP_ENDPOINT. "
        "Exit code: that of the command; 3 if only a gate fails."
    )


def generate_options(generate: argparse.ArgumentParser) -> None:
    """Options of `generate`."""
    generate.add_argument(
        "--format",
        required=True,
        choices=("har", "sarif", "pr_summary", "openapi", "test", "reproduction"),
        help="har (1.2), sarif (2.1.0, of the audits that have run), pr_summary (markdown), openapi (3.1), "
        "test (of what you did), reproduction (of an error)",
    )
    generate.add_argument("--output", metavar="FILE", type=Path, required=True, help="file to write")
    generate.add_argument("--url", metavar="TEXT", help="har, openapi: include only URLs that contain TEXT")
    generate.add_argument("--test-id", metavar="ID", help="har, pr_summary: include only what belongs to this test")
    generate.add_argument(
        "--language",
        choices=("typescript", "javascript", "python", "steps"),
        help="test, reproduction: what to write (default: typescript; steps: sentences)",
    )
    generate.add_argument("--error", metavar="TEXT", help="reproduction: part of the error (default: the newest)")


def heap_options(heap: argparse.ArgumentParser) -> None:
    """Options of `heap`."""
    heap.add_argument("file", metavar="FILE", type=Path, help="a .heapsnapshot of Chrome, DevTools or Node")
    heap.add_argument("--compare", metavar="OTHER", type=Path, help="an earlier snapshot: show what changed since")
    what = heap.add_mutually_exclusive_group()
    what.add_argument(
        "--why", metavar="ID", type=_object_id, help="show what holds the object with this id, such as @1234"
    )
    what.add_argument(
        "--leaks",
        action="store_true",
        help="show what leaks, and who holds it; with --compare, what leaked since OTHER",
    )
    what.add_argument("--save", action="store_true", help="take a snapshot of the page that is open, and write FILE")
    what.add_argument("--load", metavar="NAME", help="load FILE into the running gasoline-cdp as NAME")
    heap.add_argument("--between", metavar="OTHER", type=Path, help="with --leaks: a snapshot taken in between")
    heap.add_argument("--rounds", metavar="N", type=int, help="with --leaks: how often the action ran since OTHER")
    heap.add_argument("--of", metavar="TEXT", help="with --save: the worker or frame whose URL contains TEXT")
    heap.add_argument("--html", metavar="FILE", type=Path, help="also write an HTML page")
    heap.add_argument("--json", action="store_true", help="print JSON")


def refuse_unused(heap: argparse.Namespace) -> None:
    """Refuse options of `heap` that would do nothing: who gave them expects something else."""
    modes = [mode for mode in ("why", "leaks", "save", "load") if getattr(heap, mode) not in (None, False)]
    fitting = {"between": ("leaks",), "rounds": ("leaks",), "of": ("save",), "compare": ("", "leaks"), "html": ("",)}
    mode = modes[0] if modes else ""
    for name, modes_of in fitting.items():
        if getattr(heap, name) is not None and mode not in modes_of:
            needed = " or ".join(f"--{one}" for one in modes_of if one)
            why = f"works only with {needed}" if "" not in modes_of else f"does not work with --{mode}"
            raise UsageError(f"gasoline-cdp heap: --{name} {why}.")


def comparing_options(snapshot: argparse.ArgumentParser, diff: argparse.ArgumentParser) -> None:
    """Options of `snapshot` and `diff`."""
    snapshot.add_argument("file", metavar="FILE", type=Path, help="file to write (with --load: file to read)")
    which = snapshot.add_mutually_exclusive_group()
    which.add_argument("--load", metavar="NAME", help="load this file into the running gasoline-cdp as NAME")
    which.add_argument("--baseline", metavar="NAME", help="write the baseline NAME of `analyze` instead")
    snapshot.add_argument("--url", metavar="TEXT", help="include only URLs and pages that contain TEXT")
    snapshot.add_argument(
        "--include",
        metavar="CHECK",
        # One value per option: a list would take FILE for another check.
        action="append",
        default=[],
        choices=("accessibility", "contracts", "security"),
        help="also check accessibility, contracts or security; may be repeated",
    )

    diff.add_argument("before", metavar="BEFORE", type=Path, help="file written by `gasoline-cdp snapshot`")
    diff.add_argument("after", metavar="AFTER", type=Path, help="file written later")
    diff.add_argument("--html", metavar="FILE", type=Path, help="also write the comparison as an HTML page")
    diff.add_argument("--json", action="store_true", help="print JSON")
    diff.add_argument("--fail-on", choices=("regressed",), help="exit with code 3 if AFTER is worse than BEFORE")


def act_options(
    act: argparse.ArgumentParser, goto: argparse.ArgumentParser, click: argparse.ArgumentParser,
    fill: argparse.ArgumentParser,
) -> None:  # fmt: skip
    """Options of `act` and its short forms."""
    act.add_argument(
        "steps", metavar="STEP", nargs="+", help="such as 'click button \"Save\"' or 'fill #email = ada@example.org'"
    )
    goto.add_argument("address", metavar="URL", help="address to open")
    for parser in (click, fill):
        parser.add_argument("target", metavar="TARGET", help='reference, CSS selector, or role "name"')
    click.add_argument("value", metavar="HOW", nargs="?", help="right, double, Shift, at X,Y")
    fill.add_argument("value", metavar="TEXT", help="text to put into the field")
    for parser in (act, goto, click, fill):
        parser.add_argument("--tab", dest="tab_id", metavar="N", type=int, help="tab to act in (default: used last)")
        parser.add_argument(
            "--wait-for", metavar="WHAT", help="afterwards wait for a text, element:…, request:… or idle"
        )
        parser.add_argument("--json", action="store_true", help="print JSON, also on a terminal")
        parser.add_argument("--lines", action="store_true", help="print the lines that an assistant reads")


def record_options(record: argparse.ArgumentParser) -> None:
    """Options of `record`."""
    record.add_argument("file", metavar="FILE", type=Path, help="file to write, ending in .gif or .webp")
    record.add_argument("--tab", dest="tab_id", metavar="N", type=int, help="tab to record (default: used last)")
    record.add_argument("--seconds", metavar="N", type=float, help="end after this time (default, and at most: 120)")


def watch_options(watch: argparse.ArgumentParser) -> None:
    """What to show of the events."""
    watch.add_argument("--errors", action="store_true", help="show errors only")
    watch.add_argument(
        "--only", choices=("logs", "network", "websockets", "actions"), help="show one kind of event only"
    )
    watch.add_argument("--url", metavar="TEXT", help="include only URLs and pages that contain TEXT")
    watch.add_argument("--json", action="store_true", help="print one JSON object per line")


def merge_options(merge: argparse.ArgumentParser) -> None:
    """What to join, and where to."""
    merge.add_argument("directories", metavar="DIR", nargs="+", type=Path, help="artifacts directory of one run")
    merge.add_argument("--output", metavar="DIR", type=Path, required=True, help="directory to write to")


def completions_options(completions: argparse.ArgumentParser) -> None:
    """Whose completions."""
    completions.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def demo_options(demo: argparse.ArgumentParser) -> None:
    """How the demo runs, and in which browser."""
    demo.add_argument("--once", action="store_true", help="exit at the end, even if the browser has a window")
    browser_options(demo)
    headless_options(demo)


def profile_option(attach: argparse.ArgumentParser) -> None:
    """Whose everyday Chrome."""
    attach.add_argument(
        "--profile", metavar="DIR", type=Path, help="with --everyday: Chrome's profile directory (default: search)"
    )


def editor_options(parser: argparse.ArgumentParser) -> None:
    """Options of `install` and `uninstall`."""
    parser.add_argument(
        "editor", nargs="?", metavar="EDITOR", help="vscode, claude-code, cursor, … (without it: list all)"
    )
    parser.add_argument(
        "--project", action="store_true", help="use the configuration of this directory instead of yours"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the change without making it")


def browser_options(parser: argparse.ArgumentParser) -> None:
    """Which browser to start."""
    parser.add_argument("--browser", metavar="PATH", help="path of Chrome, Chromium or Edge (default: search for one)")
    parser.add_argument("--no-sandbox", action="store_true", help="run Chrome without its sandbox (needed as root)")


def headless_options(parser: argparse.ArgumentParser) -> None:
    """Whether the browser has a window."""
    window = parser.add_mutually_exclusive_group()
    window.add_argument("--headless", action="store_const", const=True, default=None, help="run without a window")
    window.add_argument("--headed", dest="headless", action="store_const", const=False, help="run with a window")


def launch_options(parser: argparse.ArgumentParser) -> None:
    """Options of a command that starts a browser."""
    parser.add_argument("url", nargs="?", metavar="URL", help="page to open")
    headless_options(parser)
    browser_options(parser)
    profile = parser.add_mutually_exclusive_group()
    profile.add_argument(
        "--profile", metavar="DIR", type=Path, help="browser profile to use (default: a profile for gasoline-cdp only)"
    )
    profile.add_argument("--temporary-profile", action="store_true", help="use a new profile and delete it at the end")
    parser.add_argument(
        "--viewport",
        metavar="WxH",
        type=_viewport,
        help="page size in CSS pixels (default without a window: 1280x800)",
    )
    parser.add_argument(
        "--debug-port",
        metavar="N",
        type=_port,
        help="also open Chrome's debugging port N for other programs (0: any free port)",
    )


def bodies_options(parser: argparse.ArgumentParser) -> None:
    """What is captured of requests."""
    parser.add_argument(
        "--bodies",
        choices=("off", "errors", "all"),
        default="errors",
        help="which request and response bodies to keep (default: errors)",
    )
    parser.add_argument("--no-websockets", dest="websockets", action="store_false", help="do not record WebSockets")
    parser.add_argument(
        "--catch", action="store_true", help="read the variables where exceptions are thrown; pages run slower"
    )


def port_option(parser: argparse.ArgumentParser) -> None:
    """Where HTTP is served."""
    parser.add_argument("--port", metavar="N", type=_port, help="port for HTTP (default: 7890; 0: any free port)")


def capture_options(parser: argparse.ArgumentParser) -> None:
    """What is captured, and what is served."""
    bodies_options(parser)
    parser.add_argument(
        "--pilot", action="store_true", help="let assistants change pages, run scripts and start `analyze`"
    )
    port_option(parser)
    parser.add_argument("--artifacts", metavar="DIR", type=Path, help="let assistants write files to DIR")
    parser.add_argument("--uploads", metavar="DIR", type=Path, help="let assistants upload files of DIR to pages")
    allow_options(parser)
    parser.add_argument(
        "--no-token", action="store_true", help="serve HTTP without a token (only in an isolated container)"
    )
    export_options(parser)


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"must be a port number from 0 to 65535, not {text!r}")
    return int(text)


def _object_id(text: str) -> int:
    # As answers name it.
    number = text.removeprefix("@")
    if not (number.isascii() and number.isdigit()):
        raise argparse.ArgumentTypeError(f"must be the id of an object, such as @1234, not {text[:60]!r}")
    return int(number)


def _viewport(text: str) -> "Viewport":
    from gasoline_cdp.chrome.flags import Viewport  # noqa: PLC0415 - most commands need no browser

    if not (match := _SIZE.fullmatch(text)):
        raise argparse.ArgumentTypeError(f"must be width x height, such as 1280x800, not {text[:60]!r}")
    width, height = int(match[1]), int(match[2])
    if not all(frontend_limits.VIEWPORT_MIN <= side <= frontend_limits.VIEWPORT_MAX for side in (width, height)):
        raise argparse.ArgumentTypeError(
            f"sides must have {frontend_limits.VIEWPORT_MIN} to {frontend_limits.VIEWPORT_MAX} pixels"
        )
    return Viewport(width, height)
