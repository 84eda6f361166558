"""Many clicks of two clients on a page that is made anew all the time: who hits what."""

import re
from itertools import cycle
from typing import Any

import trio
from attrs import define, evolve, field

from gasoline_cdp.operations.client import Client
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.tools.registry import TOOLS
from tests.support import Watch

NAMES = ("Save", "Delete", "Send", "Close", "Buy", "Leave")


@define
class Tries:
    """How often a click was done or refused, and each that hit something else."""

    done: int = 0
    refused: int = 0
    wrong: list[str] = field(factory=list)
    # The reasons, without what differs each time.
    reasons: dict[str, int] = field(factory=dict)


async def try_often(watch: Watch, site: str, number: int) -> Tries:
    """Two clients click by turns of their own, by CSS, role and reference, in one tab and with reloads in between."""
    tries = Tries()
    await watch.open(f"{site}page/act-restless?leaves")
    tab_id = watch.tab.tab_id
    wanted: list[str] = []

    async def client(own: int) -> None:
        context = evolve(watch.context, client=Client(kind="mcp"))
        for index, (name, how) in enumerate(zip(cycle(NAMES[own:] + NAMES[:own]), cycle(range(3)), strict=False)):
            if index >= number // 2:
                return
            target = [f"#{name.lower()}", f'button "{name}"', await _reference(context, name, tab_id)][how]
            call = {"steps": [{"do": "click", "target": target}], "tab_id": tab_id}
            answer = (await call_tool(TOOLS, context, "act", call)).data
            if answer.get("success"):
                tries.done += 1
                wanted.append(name)
            else:
                tries.refused += 1
                note = str((answer.get("steps") or [{}])[0].get("detail") or answer.get("message"))
                reason = re.sub(r"@\w+|#\w+|\d+|\(.*?\)", "…", note)
                tries.reasons[reason] = tries.reasons.get(reason, 0) + 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(client, 0)
        nursery.start_soon(client, 3)
    await watch.daemon.capture.flush(watch.context.tabs.open())
    watch.daemon.capture.settle()
    hits = [
        match[1]
        for record in watch.telemetry.network.newest()
        if (match := re.search(r"hit=(\w+)&trusted=true", record.url))
    ]
    for name in hits:
        if name in wanted:
            wanted.remove(name)
        else:
            # Hit without being asked for, or more often than reported.
            tries.wrong.append(name)
    return tries


async def _reference(context: Any, name: str, tab_id: int) -> str:
    """The reference of a button in the newest tree: it may be of a document or a button that is gone by then."""
    answer = await call_tool(TOOLS, context, "observe", {"what": "accessibility_tree", "tab_id": tab_id})
    lines = str(answer.data.get("tree", "")).splitlines()
    line = next((line for line in lines if f'button "{name}"' in line), "@bcd1")
    return line.rpartition(" ")[2]
