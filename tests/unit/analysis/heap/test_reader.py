"""Snapshots of any shape and damage: read as a whole, or refused with a reason that helps."""

import json
import subprocess
import sys

import pytest

from gasoline_cdp.analysis.heap.engines import Engine
from gasoline_cdp.analysis.heap.reader import HeapFormatError, SnapshotReader
from tests.heap_snapshots import ENGINES, Node, read_snapshot, write_snapshot

pytestmark = [
    pytest.mark.requirement("F10-FILES"),
    pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name),
]

_NODES = [
    Node("synthetic", "root", 0, [("element", 1, 1), ("property", "p", 2)]),
    Node("object", "A", 16, [("internal", "i", 2)]),
    Node("string", 'with "quotes" \\ and é', 8),
]


def _whole() -> dict:
    whole: dict = json.loads(write_snapshot(_NODES))
    return whole


def _text(whole: object) -> bytes:
    return json.dumps(whole, separators=(",", ":")).encode()


def test_the_text_may_come_in_any_pieces_and_spacing(engine: Engine) -> None:
    for text in (write_snapshot(_NODES), json.dumps(_whole(), indent=1).encode(), b"\xef\xbb\xbf" + _text(_whole())):
        for piece in (1, 7, 1 << 20):
            graph = read_snapshot(text, engine, piece=piece)
            assert graph.self_size.tolist() == [0, 16, 8]
            assert graph.edge_to.tolist() == [1, 2, 2]
            assert graph.name(2) == 'with "quotes" \\ and é'


def test_rows_may_end_with_line_breaks_and_sections_be_unknown(engine: Engine) -> None:
    whole = {"extra": {"a": ['"]}', 1]}} | _whole() | {"more": None, "and": '\\"', "so": 1.5}
    text = _text(whole).replace(b"0,0,9", b"0\n,0,9").replace(b"[[", b"[ [")
    assert read_snapshot(text, engine).self_size.tolist() == [0, 16, 8]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty"),
        (b"   ", "cut short"),
        (b"[1, 2]", "no heap snapshot"),
        (b"\x1f\x8b\x08", "no heap snapshot"),
        (b"{}", 'no member "snapshot"'),
        (b'{"nodes":[]}', 'before "snapshot"'),
        (b'{"log": {"version": "1.2", "entries": []}}', 'no member "snapshot"'),
        (b'{"snapshot": {}}', "header"),
        (b'{"snapshot": {"meta": []}}', "header"),
        (b'{"snapshot": [1]}', 'no member "snapshot"'),
        (b'{"snapshot": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "no heap snapshot|header|no member"),
        (b'{"snapshot": {' + b" " * 2_000_000, "header is too long"),
        (b'{"a" 1}' + b" " * 5000, "does not belong"),
    ],
)
def test_what_is_no_snapshot_is_called_so(engine: Engine, text: bytes, said: str) -> None:
    with pytest.raises(HeapFormatError, match=said):
        read_snapshot(text, engine)


def _with(section: str, at: int, value: object) -> bytes:
    whole = _whole()
    whole[section][at] = value
    return _text(whole)


def _header(**changes: object) -> bytes:
    whole = _whole()
    whole["snapshot"] |= changes
    return _text(whole)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_with("nodes", 0, 200), "200 as type of row 0"),
        (_with("nodes", 1, 99), "string 99, but there are only"),
        (_with("nodes", 2, -1), "-1 as id of row 0"),
        (_with("nodes", 9, 2**40), "as self_size of row 1"),
        (_with("nodes", 9, 10**30), "too large"),
        (_with("nodes", 4, 1), "have 2 edges, but the header says 3"),
        (_with("nodes", 5, 9), "9 as detachedness"),
        (_with("edges", 0, 7), "7 as type of row 0"),
        (_with("edges", 2, 7), "7 as to_node"),
        (_with("edges", 2, 600), "600 as to_node"),
        (_with("edges", 4, 1000), "named by string 1000"),
        (_with("edges", 1, 1.5), "does not belong"),
        (_with("edges", 1, None), "does not belong"),
        (_with("edges", 1, [1]), "does not belong"),
        (_with("strings", 0, 5), "does not belong"),
        (_header(node_count=2), "more than 2 rows"),
        (_header(node_count=4), "has 3 rows, but the header says 4"),
        (_header(edge_count=2), "more than 2 rows|header says 2"),
        (_header(edge_count=9), "has 3 rows, but the header says 9"),
        (_header(node_count=-1), "-1 where a count belongs"),
        (_header(node_count=0), "no nodes"),
        (_header(node_count=10**9), "more than can be read"),
        (_header(edge_count=True), "where a count belongs"),
        (_header(root_index=3), "root, 3, is no node"),
        (_text(_whole() | {"strings": []}), "there are only 0"),
        (_text(_whole() | {"strings": {}}), "no array"),
        (_text({key: value for key, value in _whole().items() if key != "edges"}), "no edges"),
        (_text(_whole()).replace(b'"strings":["', b'"strings":["\\x'), "does not belong"),
        (_text(_whole()).replace(b'"strings":["', b'"strings":["\\u12g4'), "does not belong"),
        (_text(_whole()).replace(b'"strings":["', b'"strings":["\xff\xfe'), "not UTF-8"),
        (_text(_whole()).replace(b'"nodes":[', b'"nodes":[,'), "does not belong"),
        (_text(_whole()).replace(b'"edges":[', b'"edges":[--'), "does not belong"),
        (_text(_whole()).replace(b'"edges":', b'"nodes":'), "twice"),
        (_text(_whole()) + b"}", "does not belong"),
    ],
)
def test_what_contradicts_itself_is_refused_with_a_reason(engine: Engine, text: bytes, said: str) -> None:
    for piece in (5, 1 << 20):
        with pytest.raises(HeapFormatError, match=said):
            read_snapshot(text, engine, piece=piece)


def test_a_file_of_zeros_is_refused_at_its_first_piece(engine: Engine) -> None:
    reader = SnapshotReader(engine)
    with pytest.raises(HeapFormatError, match="no heap snapshot"):
        reader.feed(bytes(1 << 20))


# Two gigabytes that begin like a snapshot and never end.
_ENDLESS = """
import sys
from gasoline_cdp.analysis.heap.reader import HeapFormatError, SnapshotReader
from tests.heap_snapshots import ENGINES
engine = next(engine for engine in ENGINES if engine.name == sys.argv[1])
header = bytes.fromhex(sys.argv[2])
try:
    reader = SnapshotReader(engine)
    reader.feed(header)
    piece = sys.argv[3].encode() * ((1 << 20) // len(sys.argv[3]))
    for _ in range(2048):
        reader.feed(piece)
    reader.finish()
except HeapFormatError as error:
    print(error)
# Not ru_maxrss, which also counts the process that started this one.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) // 1024)
"""


@pytest.mark.parametrize(("section", "piece"), [('"strings":[', '"aa",'), ('"locations":[', "6,")])
def test_two_gigabytes_that_never_end_take_bounded_memory(engine: Engine, section: str, piece: str) -> None:
    text = write_snapshot(_NODES)
    begun = text[: text.index(b'"nodes"')] + section.encode()
    done = subprocess.run(
        [sys.executable, "-c", _ENDLESS, engine.name, begun.hex(), piece], capture_output=True, text=True, check=True
    )
    said, megabytes = done.stdout.strip().splitlines()
    assert "too long" in said or "more than" in said
    # The interpreter with numpy takes 40.
    assert int(megabytes) < 200
