"""What Blink keeps alive by itself until the page closes it: channels, connections, observers."""

import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gasoline_cdp.analysis.heap.walk import ReadableHeap

PENDING = "Pending activities"
_PENDING = re.compile(f"{PENDING}$")
_CLOSABLE = re.compile(
    r"(BroadcastChannel|IDBDatabase|WebSocket|EventSource|MessagePort|\w*AudioContext|RTCPeerConnection|"
    r"MediaRecorder|WebTransport|(Performance|Reporting)Observer)$"
)
Mask = np.ndarray[Any, np.dtype[np.bool_]]
Words = np.ndarray[Any, np.dtype[np.uint32]]


def find_active(heap: "ReadableHeap") -> tuple[Words, Mask, Mask]:
    """Where Blink lists what is active, the nodes of the lists, and the edges to what the page has to close."""
    to, source = heap.graph.edge_to, heap.edge_from
    roots = heap.names(_PENDING, "native")
    lists = np.zeros(len(roots), dtype=np.bool_)
    lists[to[roots[source]]] = True
    edges = roots[source] | (lists[source] & heap.names(_CLOSABLE, "native")[to])
    return np.flatnonzero(roots).astype(np.uint32), lists, edges
