"""Whether generated reproductions show their bug in a fresh browser, and fail once it is repaired.

Each bug is planted in a page of ours or in one that uses other people's packages, met with real input, and reproduced
from what was captured.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import trio
from attrs import frozen

from tests.benchmarks.flow_apps import Break
from tests.benchmarks.flow_own import RecordedFlow, own_flows
from tests.benchmarks.flow_strangers import stranger_flows
from tests.benchmarks.flow_user import User
from tests.benchmarks.flows import fetch, make_config, say, serve
from tests.suites.generated import run_python, spec_results
from tests.support import Watch, open_watch

_ERROR_NOT_SEEN = "errors|toBe|poll"


@frozen
class Bug:
    """A flow, and what is wrong with its page: one text of the server replaced by another."""

    flow: str
    right: str
    wrong: str
    # Part of the error that comes of it.
    error: str

    @property
    def change(self) -> Break:
        """The server with the bug."""
        return Break("bug", self.error, replace=((self.right, self.wrong),))


BUGS = (
    Bug("items: add", "added ${made.title}", "added ${made.name.trim()}", "reading 'trim'"),
    Bug("cities: search and choose", "about.size", "about.sizes.population", "reading 'population'"),
    Bug("shop: buy", "cart.join(", "cart.joined(", "cart.joined is not a function"),
    Bug("booking: all fields", "reply.extras.join", "reply.extra.join", "reading 'join'"),
    Bug("gestures: drag and drop", "to.append(from)", "to.receive(from)", "to.receive is not a function"),
    Bug("windows: dialogs", "Renamed to ${name}", "Renamed to ${name.first.trim()}", "reading 'trim'"),
    Bug("report: slow answer", "${report.summary}", "${report.summaries[0]}", "reading '0'"),
    Bug("bootstrap: modal and menu", "recipient.value", "receiver.value", "receiver is not defined"),
    Bug("tom-select: choose", 'value === "o"', "value.is('o')", "value.is is not a function"),
    Bug("quill: letter", "quill.getText().trim()", "quill.text().trim()", "quill.text is not a function"),
    Bug("preact", "friends.map(", "friends.list.map(", "reading 'map'"),
    Bug("vue 3", "this.friends = await", "this.people.list = await", "Cannot set properties of undefined"),
)


def main(arguments: Sequence[str]) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="launcher/run bench reproductions", description=__doc__)
    parser.add_argument("--only", default="", help="bugs in flows whose name contains this")
    parser.add_argument("--language", choices=["typescript", "javascript", "python"], default="typescript")
    parser.add_argument("--workers", default="3", help="of Playwright (default: 3)")
    parser.add_argument("--show", action="store_true", help="print each script")
    parser.add_argument("--fetch", type=Path, default=Path(sys.prefix) / ".flows", help="where packages are kept")
    options = parser.parse_args(arguments)
    packages, pypi = fetch(options.fetch)
    with tempfile.TemporaryDirectory() as home:
        flows = {flow.name: flow for flow in (*own_flows(Path(home)), *stranger_flows(packages, pypi, Path(home)))}
        return trio.run(_run, options, flows, Path(home))


async def _run(options: argparse.Namespace, flows: dict[str, RecordedFlow], home: Path) -> int:
    bugs = [bug for bug in BUGS if options.only in bug.flow]
    ending = {"python": ".py", "javascript": ".spec.js"}.get(options.language, ".spec.ts")
    scripts: dict[str, str] = {}
    said: dict[int, str] = {}
    async with trio.open_nursery() as servers:
        async with open_watch(make_config()) as watch:
            watch.daemon.capture.headless.clear()
            for number, bug in enumerate(bugs):
                flow = flows[bug.flow]
                broken = await servers.start(serve, flow.app, bug.change)
                repaired = await servers.start(serve, flow.app, None)
                try:
                    script = await _record(watch, flow, bug, broken, options.language)
                except Exception as error:  # noqa: BLE001 - the other bugs are met all the same
                    said[number] = f"not recorded: {type(error).__name__} {error}"
                    continue
                if options.show:
                    say(script)
                scripts[f"test_bug_{number}_0{ending}"] = script
                scripts[f"test_bug_{number}_1{ending}"] = script.replace(broken.rstrip("/"), repaired.rstrip("/"))
        run = run_python if options.language == "python" else spec_results
        results = await trio.to_thread.run_sync(partial(run, home / "project", scripts, SUITE_WORKERS=options.workers))
        servers.cancel_scope.cancel()
    good = 0
    for number, bug in enumerate(bugs):
        shown, gone = (next(iter(results.get(f"test_bug_{number}_{one}{ending}", ["?"])), "") for one in (0, 1))
        reproduced, noticed = number not in said and not shown, any(part in gone for part in _ERROR_NOT_SEEN.split("|"))
        good += reproduced and noticed
        say(f"{bug.flow:<32} {'reproduced' if reproduced else 'NOT REPRODUCED'}, "
            f"{'fails' if noticed else 'DOES NOT FAIL'} once repaired")  # fmt: skip
        if not (reproduced and noticed):
            say(f"    {said.get(number) or shown or gone}"[:1500])
    say(f"{good} of {len(bugs)} bugs reproduced, and missed once repaired; load {os.getloadavg()[0]:.1f}")
    return 0 if good == len(bugs) else 1


async def _record(watch: Watch, flow: RecordedFlow, bug: Bug, broken: str, language: str) -> str:
    """Meet the bug with real input; the script that shows it again."""
    for tab in list(watch.context.tabs.open())[1:]:
        await watch.close(tab)
    watch.telemetry.clear()
    await watch.open(f"{broken}{flow.path}")
    user = User(watch)
    await user.rest(0.8)
    # What comes after the bug may not be there.
    with trio.move_on_after(60), trio.CancelScope() as rest:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_end_once_logged, watch, bug.error, rest)
            await flow.act(user)
            await user.rest(0.6)
            rest.cancel()
    answer = await watch.call("generate", format="reproduction", error_message=bug.error, language=language)
    await watch.go("about:blank")
    text: str = answer["text"]
    return text


async def _end_once_logged(watch: Watch, error: str, scope: trio.CancelScope) -> None:
    await watch.log(error)
    await trio.sleep(1.5)
    scope.cancel()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
