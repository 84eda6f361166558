"""Masks secrets in a response body by its type: HTML by form fields, event streams message by message.

In both, a value is separated from its name: in another attribute of an element, or on the next `data:` line.
"""

from gasoline_cdp.analysis.markup import mask_fields
from gasoline_cdp.redact import EDGE, redact, safe_body


def safe_answer(text: str, mime: str, limit_bytes: int) -> tuple[str, bool]:
    """Like `safe_body`, for a response of this type."""
    head = text[: limit_bytes + EDGE]
    if "html" in mime or head[:200].lstrip().lower().startswith(("<!doctype html", "<html")):
        head = mask_fields(head)
    elif mime == "text/event-stream":
        head = "\n\n".join(map(_mask_message, head.replace("\r\n", "\n").split("\n\n")))
    kept, cut = safe_body(head, limit_bytes)
    return kept, cut or len(text) > limit_bytes + EDGE


def _mask_message(message: str) -> str:
    """One message of an event stream. The page reads its `data:` lines as one text."""
    lines = message.split("\n")
    data = [line[5:].removeprefix(" ") for line in lines if line.startswith("data:")]
    if len(data) < 2:
        return message
    masked = redact("\n".join(data))
    if masked == "\n".join(data):
        return message
    return "\n".join(
        [line for line in lines if not line.startswith("data:")] + [f"data: {line}" for line in masked.split("\n")]
    )
