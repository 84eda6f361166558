"""Which elements a page shows: those of the documents of windows, not of documents that code only parsed."""

import re
from typing import Any

import numpy as np

from gasoline_cdp.analysis.heap.walk import ReadableHeap

_DOCUMENT = re.compile(r"\w*Document( / .*)?$")
_WINDOW = re.compile(r"Window\b")


def shown_elements(heap: ReadableHeap) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Elements in a document that a window has. Chrome also calls those attached that DOMParser made."""
    source, to = heap.edge_from, heap.graph.edge_to
    documents = heap.names(_DOCUMENT, "native")
    of_windows = np.zeros(len(documents), dtype=np.bool_)
    of_windows[to[heap.names(_WINDOW, "native", "object")[source] & documents[to]]] = True
    # Each element refers to its document, if it is not in a shadow tree.
    in_window, in_other = np.zeros((2, len(documents)), dtype=np.bool_)
    in_window[source[of_windows[to]]] = True
    in_other[source[(documents & ~of_windows)[to]]] = True
    shown: np.ndarray[Any, np.dtype[np.bool_]] = heap.attached_elements & (in_window | ~in_other)
    return shown
