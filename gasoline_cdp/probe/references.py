"""References to elements (`e12@k3f9a`): one node of one document, found again or refused.

The number is Chrome's own for the node. It is unique within a process only, and another process starts counting again.
The letters after it identify the document by Chrome's loader id: each navigation has a new one, and a page from the
back/forward cache keeps its old one. We store nothing.
"""

import re
from typing import Any

from attrs import frozen

from gasoline_cdp.cdp.connection import Session
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.redact import safe_text

PREFIX = "ref="
_REFERENCE = re.compile(r"\[?e(\d{1,12})(?:@([0-9a-z]{5}))?\]?")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_TAG_CHARS = 5


@frozen
class Reference:
    """A parsed reference."""

    node: int
    document: str


def is_reference(selector: str) -> bool:
    """Whether a selector is `ref=…`, or a whole reference without that, which is no CSS."""
    parsed = _REFERENCE.fullmatch(selector.strip().lower())
    return selector.startswith(PREFIX) or (parsed is not None and parsed[2] is not None)


def parse_reference(selector: str) -> Reference:
    """Parse `ref=…`. Raises `invalid_selector`."""
    parsed = _REFERENCE.fullmatch(selector.strip().removeprefix(PREFIX).strip().lower())
    if parsed is None:
        raise GasolineError(
            Code.INVALID_SELECTOR, f"{safe_text(selector, 60)!r} is no reference: they come from accessibility_tree."
        )
    if parsed[2] is None:
        raise GasolineError(
            Code.INVALID_SELECTOR,
            f"{safe_text(selector, 60)!r} does not say of which document: copy the whole reference, as in "
            "ref=e12@k3f9a.",
        )
    return Reference(int(parsed[1]), parsed[2])


def document_tag(loader_id: str) -> str:
    """A document's loader id, shortened for references."""
    number, tag = int(loader_id, 16) if loader_id else 0, ""
    for _ in range(_TAG_CHARS):
        number, digit = divmod(number, len(_DIGITS))
        tag += _DIGITS[digit]
    return tag


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
