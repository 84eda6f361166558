"""Kinds of leaks, and what to do about each."""

import re

_CACHE = re.compile(r"cache|memo|store\b|history|log\b|queue|pool", re.IGNORECASE)
_EMITTER = re.compile(
    r"listener|handler|subscri|observer|callback|watcher|_events|\bevents\b|emitter|\bbus\b|\bhooks?\b", re.IGNORECASE
)
_BY_CLASS = {
    f"{name}Observer": f"{name.lower()} observer" for name in ("Mutation", "Resize", "Intersection", "Performance")
} | {"Worker": "worker", "SharedWorker": "worker"}
# Who holds what has to be closed or disconnected: nothing that has a name.
OPEN = "the browser, while it is open"
_FILE = re.compile(r"\([^)]*\)")
_COLLECTIONS = ("Array", "Map", "Set", "Object", "WeakMap")

_FIXES = {
    "listener": "Call removeEventListener with the same function when the element or component goes, or pass an "
    "AbortSignal to addEventListener and abort it then.",
    "timer": "Keep the timer's id, and call clearInterval or clearTimeout when it is no longer needed.",
    "animation frame": "Call cancelAnimationFrame, or stop requesting the next frame.",
    "idle callback": "Call cancelIdleCallback when it is no longer needed.",
    "mutation observer": "Call disconnect() on the observer when what it serves goes.",
    "resize observer": "Call unobserve() or disconnect() on the observer when its element goes.",
    "intersection observer": "Call unobserve() or disconnect() on the observer when its element goes.",
    "performance observer": "Call disconnect() on the observer.",
    "abort signal": "Do not register on a signal that lives longer; use one signal per operation.",
    "promise": "A promise that never settles keeps its callbacks: settle it, or abort the wait.",
    "emitter": "Unsubscribe when the subscriber goes; keep the function that unsubscribes and call it.",
    "cache": "Bound it: delete entries that are no longer needed, or use a WeakMap keyed by the object.",
    "collection": "Remove entries when they are no longer needed, or key a WeakMap by the object.",
    "closure": "Set the variable to null when done, or do not let a function that lives longer capture it.",
    "detached tree": "Drop the reference when the element is removed from the document.",
    "document": "Remove the element when it is no longer shown.",
    "frame": "Drop every reference to the frame's window and document when the frame is removed.",
    "worker": "Call terminate() on the worker when it is done.",
    "connection": "Call close() on it when it is no longer needed.",
    "registry": "Register a value that does not lead to the object itself: it is never collected otherwise.",
    "growth": "Drop the reference when it is no longer needed.",
}


# Where the class says better what to do than who holds it.
_GENERAL = frozenset({"connection", "detached tree", "growth", "collection", "document"})
_ENTRIES = "Call performance.clearMarks() and clearMeasures() when the entries are no longer needed."
_CANCEL = "Call cancel() on the animation when its element goes: one without an end is kept as long as the page."
_FIXES_BY_CLASS = {
    "Animation": _CANCEL,
    "CSSAnimation": _CANCEL,
    "CSSStyleSheet": "Take it out of adoptedStyleSheets when what it styles goes.",
    "CloseWatcher": "Call destroy() on it when what it closes is gone.",
    "FontFace": "Call document.fonts.delete() with it when the font is no longer needed.",
    "Highlight": "Call CSS.highlights.delete() with its name when it is no longer shown.",
    "Lock": "Settle the promise that the lock's callback returned: that releases it.",
    "PerformanceMark": _ENTRIES,
    "PerformanceMeasure": _ENTRIES,
}


def kind_of(marker: str, what: str, held_by: str, *, holder_class: str, attached: bool, detached: bool) -> str:
    """The kind of a leak."""
    if attached or marker:
        return marker if not attached else "document"
    if what.startswith(("Window", "HTMLDocument")):
        return "frame"
    if what in _BY_CLASS:
        return _BY_CLASS[what]
    if holder_class == "FinalizationRegistry":
        return "registry"
    if held_by == OPEN:
        return "connection"
    # The names on the way, without those of files.
    last = _FILE.sub("", held_by.rsplit("→", 1)[-1])
    if holder_class in _COLLECTIONS:
        if _EMITTER.search(last):
            return "emitter"
        if _CACHE.search(last):
            return "cache"
        return "collection"
    if " variable " in last or holder_class == "closure scope":
        return "closure"
    return "detached tree" if detached else "growth"


def fix_of(kind: str, what: str) -> str:
    """What to do. What the browser gives to pages, each has to be given back in its own way."""
    return _FIXES_BY_CLASS.get(what, _FIXES[kind]) if kind in _GENERAL else _FIXES[kind]
