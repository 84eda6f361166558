"""Heaps of a real page, its worker and Node: every number is the one that DevTools' own worker gives."""

from pathlib import Path

import pytest
import trio

from gasoline_cdp.analysis.heap.fallback_engine import FallbackEngine
from tests.devtools_heap import ask_devtools, diff_differences, differences, read_graph
from tests.node_tools import NODE
from tests.support import PATIENCE
from tests.taking_heaps import open_page, take_snapshots

pytestmark = [pytest.mark.requirement("F10-EXACT"), pytest.mark.long]

_NODE_PROGRAM = """
const v8 = require('v8');
class User { constructor(i) { this.id = i; this.o = {a: i, b: [i]}; } }
global.users = Array.from({length: 300}, (_, i) => new User(i));
global.weak = new WeakMap(users.map(user => [user, {i: user.id}]));
global.buffers = [Buffer.alloc(5000), new Uint16Array(100)];
global.server = require('http').createServer();
v8.writeHeapSnapshot(process.argv[1]);
"""


async def test_every_number_is_devtools_own(chromium: str, site: str, node_modules: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.heapsnapshot" for name in ("before", "worker", "node", "after")]
    before, worker_file, node_file, after = files
    with trio.fail_after(PATIENCE):
        async with open_page(chromium, f"{site}page/heap") as (page, worker):
            assert worker is not None
            await take_snapshots(page, [before, after], between="grow()")
            await take_snapshots(worker, [worker_file])
    await trio.run_process([str(NODE), "-e", _NODE_PROGRAM, str(node_file)])
    ask_devtools(node_modules, tmp_path / "said", files)
    said = {file: tmp_path / "said" / str(index) for index, file in enumerate(files)}
    graphs = {file: read_graph(file) for file in files}
    for file, graph in graphs.items():
        assert not any(differences(graph, said[file]).values()), file
    assert diff_differences(graphs[before], graphs[after], tmp_path / "said") == 0
    # The other engine on one of each format: tests/property shows that both say the same.
    for file in (worker_file, node_file):
        assert not any(differences(read_graph(file, FallbackEngine()), said[file]).values()), file
