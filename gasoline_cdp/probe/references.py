"""References to elements (`@kfd12`): one node of one document, found again or refused.

The number is Chrome's own for the node. It is unique within a process only, and another process starts counting again.
The letters before it identify the document (`DocumentTags`) by Chrome's loader id: each navigation has a new one, and a
page from the back/forward cache keeps its old one.
"""

import re
from typing import Any

from attrs import frozen

from gasoline_cdp.cdp.connection import Session
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.redact import safe_text

PREFIX = "ref="
MARK = "@"
_REFERENCE = re.compile(r"@?([a-z]{3,26})(\d{1,12})")
# Without the mark, it must have the letters of ours: no element is called like that.
_BARE = re.compile(r"[b-df-hj-np-tv-z]{3,26}\d{1,12}")


@frozen
class Reference:
    """A parsed reference."""

    node: int
    document: str


def is_reference(selector: str) -> bool:
    """Whether a selector is `ref=…` or `@…`, neither of which is CSS, or a reference without that."""
    text = selector.strip()
    return text.startswith((PREFIX, MARK)) or _BARE.fullmatch(text) is not None


def parse_reference(selector: str) -> Reference:
    """Parse `@kfd12`, `ref=@kfd12` or `ref=kfd12`. Raises `invalid_selector`."""
    parsed = _REFERENCE.fullmatch(selector.strip().removeprefix(PREFIX).strip().lower())
    if parsed is None:
        raise GasolineError(
            Code.INVALID_SELECTOR,
            f"{safe_text(selector, 60)!r} is no reference: they look like @kfd12 and come from accessibility_tree.",
        )
    return Reference(int(parsed[2]), parsed[1])


async def document_ids(session: Session) -> dict[str, str]:
    """The loader id of the document in each frame of a session's process."""
    waiting: list[dict[str, Any]] = [(await session.send("Page.getFrameTree"))["frameTree"]]
    ids = {}
    while waiting:
        tree = waiting.pop()
        ids[str(tree["frame"]["id"])] = str(tree["frame"].get("loaderId") or "")
        waiting += tree.get("childFrames") or []
    return ids


def gone(selector: str, why: str) -> GasolineError:
    """The error for a reference whose element is not there."""
    return GasolineError(
        Code.ELEMENT_NOT_FOUND,
        f"{safe_text(selector, 60)} {why}. References hold for one document: ask "
        "observe(what='accessibility_tree') again.",
    )
