"""`gasoline-cdp snapshot` and `gasoline-cdp diff`: write a browser's state to a file, and compare two such files."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

from rich.text import Text

from gasoline_cdp import wire
from gasoline_cdp.analysis.compare.sessions import SessionDiff, compare_sessions
from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.answers.amounts import size
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.artifacts.diff_page import diff_page
from gasoline_cdp.assets import artifact_style
from gasoline_cdp.comparisons.diff_answers import show_diff
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.cli.snapshot_files import (
    read_kept,
    read_snapshot,
    write_baseline,
    write_named,
    write_snapshot,
)
from gasoline_cdp.frontends.cli.terminal import open_console
from gasoline_cdp.frontends.invocation import as_typed
from gasoline_cdp.frontends.local import bridge
from gasoline_cdp.tools.sessions import totals

_SHOWN = 10
_SIGNS = {"improved": "green", "unchanged": "dim", "mixed": "yellow", "regressed": "bold red"}


def run_snapshot(path: Path, *, load: str | None, baseline: str | None, url: str | None, include: list[str]) -> int:
    """Write the state of the running daemon or one of its baselines to a file; or load such a file into the daemon."""
    if load is not None:
        return _load(path, load)
    if baseline is not None:
        return _write_baseline(path, baseline)
    data = ask_daemon({"want": "snapshot", "url_filter": url or "", "include": include})
    written = write_snapshot(path, data["snapshot"])
    print(f"Wrote {path} ({size(written)}): {data['summary']}")
    return 0


def _load(path: Path, name: str) -> int:
    loaded = read_kept(path)
    if isinstance(loaded, SessionSnapshot):
        ask_daemon({"want": "load_snapshot", "name": name, "snapshot": wire.dump(loaded)})
        print(f"Loaded. An assistant compares it with now: diff_sessions(action='compare', compare_a={name!r}).")
        return 0
    for page in loaded:
        ask_daemon({"want": "load_snapshot", "name": name, "path": page.path, "snapshot": wire.dump(page.snapshot)})
    pages = ", ".join(page.path for page in loaded)
    print(f"Loaded the baseline of {pages}. Open such a page, then compare:")
    print(f"  {as_typed('gasoline-cdp call analyze')} --action regression --scope compare --name {shlex.quote(name)}")
    return 0


def _write_baseline(path: Path, name: str) -> int:
    pages: list[dict[str, Any]] = []
    number = 1
    while len(pages) < number:
        page = ask_daemon({"want": "baseline", "name": name, "place": len(pages)})
        number = int(page.pop("of"))
        pages.append(page)
    written = write_baseline(path, pages)
    print(f"Wrote {path} ({size(written)}): the baseline of {', '.join(page['path'] for page in pages)}")
    return 0


def run_generate(output: Path, *, kind: str, **given: str | None) -> int:
    """Write a document generated from what the running daemon recorded. `given` are further arguments of the tool."""
    arguments = {"format": kind, **{name: value for name, value in given.items() if value}}
    data = ask_daemon({"want": "generate", "arguments": arguments})
    content = data["text"].encode()
    write_named(output, content)
    print(f"Wrote {output} ({size(len(content))}): {data['summary']}")
    return 0


def ask_daemon(question: dict[str, Any], **more: float) -> dict[str, Any]:
    """What the running daemon answers, within `seconds`. Raises its error; prints its notice."""
    answer = bridge.ask(question, **more)
    data: dict[str, Any] = answer["data"]
    if answer.get("is_error"):
        raise GasolineError(Code(str(data["error"])), str(data["message"]))
    if notice := data.pop("notice", ""):
        print(f"gasoline-cdp: {notice}", file=sys.stderr)
    return data


def run_diff(before: Path, after: Path, *, html: Path | None, as_json: bool, fail_on: str | None) -> int:
    """Compare two files. The exit code is 3 if AFTER is worse than BEFORE and `fail_on` asks for that."""
    first, second = read_snapshot(before), read_snapshot(after)
    diff = compare_sessions(first, second)
    if html is not None:
        page = diff_page(first, second, diff, names=(before.stem, after.stem), css=artifact_style("diff_page"))
        write_named(html, page.encode())
    if as_json:
        print(json.dumps({"summary": wire.dump(totals(diff)), "diff": show_diff(diff)}))
    else:
        _print(first, second, diff, html)
    tripped = fail_on == "regressed" and diff.verdict in {"regressed", "mixed"}
    if tripped:
        print(f"gasoline-cdp: {after} is {diff.verdict} against {before}.", file=sys.stderr)
    return 3 if tripped else 0


def _print(before: SessionSnapshot, after: SessionSnapshot, diff: SessionDiff, html: Path | None) -> None:
    console = open_console()
    console.print(Text(diff.verdict, style=_SIGNS[diff.verdict]))
    rows = [
        *(("new", issue.message) for issue in diff.errors.new),
        *(("new", f"{one.name} → {one.failed_status or one.failure}") for one in diff.network.new_errors),
        *(("new", f"{name}: {issue.message}") for name, change in diff.findings.items() for issue in change.new),
        *(
            ("worse", f"{load.path} {change.metric} {change.baseline:g} → {change.current:g}")
            for load in diff.performance
            for change in load.regressions
        ),
        *(("gone", issue.message) for issue in diff.errors.resolved),
        *(("gone", f"{one.name} → {one.failed_status or one.failure}") for one in diff.network.resolved_errors),
    ]
    for kind, text in rows[:_SHOWN]:
        console.print(Text.assemble((f"  {kind:<6}", "green" if kind == "gone" else "red"), text), soft_wrap=True)
    if len(rows) > _SHOWN:
        console.print(f"  and {len(rows) - _SHOWN} more (--json shows all)")
    if diff.not_retried:
        console.print(f"  not tried after, so not known: {number_of(diff.not_retried, 'issue')} of before")
    requests = sum(endpoint.calls for endpoint in before.network), sum(endpoint.calls for endpoint in after.network)
    console.print(Text(f"  {number_of(requests[0], 'request')} before, {requests[1]} after", style="dim"))
    if one_sided := sorted(before.findings.keys() ^ after.findings.keys()):
        console.print(f"  not compared, since only one of the two was checked for it: {', '.join(one_sided)}")
    if html is not None:
        console.print(f"  page: {html}", soft_wrap=True)
