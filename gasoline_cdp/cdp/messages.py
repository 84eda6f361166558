"""Decodes Chrome's JSON."""

import json
import logging
from typing import Any

import orjson

log = logging.getLogger(__name__)


def decode(raw: bytes) -> dict[str, Any] | None:
    """Parse JSON from Chrome. Strings may contain unpaired surrogates, which only the lenient parser accepts."""
    try:
        message = orjson.loads(raw)
    except orjson.JSONDecodeError:
        try:
            message = json.loads(raw.decode("utf-8", errors="replace"))
        except (ValueError, RecursionError):
            log.warning("Chrome sent %d bytes that are not JSON, or too deep", len(raw))
            return None
    return message if isinstance(message, dict) else None
