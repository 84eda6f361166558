"""JSON-RPC errors for messages that the MCP library drops, so that their sender does not wait for ever.

An error carries the message's id if that can be read, and null if not, as JSON-RPC requires.
"""

import json
import math
from collections.abc import Iterator
from typing import Any

from gasoline_cdp.frontends.lines import Lines

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

_BATCH = "Batches are not supported: send each message by itself."
_NO_OBJECT = "A message must be a JSON object."
_HALF_PAIR = "A string holds half of a surrogate pair, such as \\ud83d: send whole characters."


def mistaken_for_notification(line: bytes) -> bool:
    """Whether the library takes a request whose id MCP does not allow (null, true, 1.5) for a notification."""
    message = _parsed(line)
    return isinstance(message, dict) and "method" in message and "id" in message


def errors_for(line: bytes) -> Iterator[bytes]:
    """One error for a malformed message. For a batch, one for each request in it, or one for the whole batch."""
    message = _parsed(line)
    if isinstance(message, ValueError):
        yield _error(None, PARSE_ERROR, f"This is not JSON: {message}.")
    elif isinstance(message, list):
        requests = [
            member for member in message if isinstance(member, dict) and "id" in member and not _replies(member)
        ]
        for member in requests:
            yield _error(_id_of(member), INVALID_REQUEST, _BATCH)
        if not requests:
            yield _error(None, INVALID_REQUEST, _BATCH)
    elif not isinstance(message, dict):
        yield _error(None, INVALID_REQUEST, _NO_OBJECT)
    else:
        yield error_for(message, _problem(message) or "This is no message of JSON-RPC 2.0.")


def error_of(message: Any) -> bytes | None:
    """The error for a message that was parsed as JSON; None if it is well formed."""
    if isinstance(message, list):
        return _error(None, INVALID_REQUEST, _BATCH)
    if not isinstance(message, dict):
        return _error(None, INVALID_REQUEST, _NO_OBJECT)
    problem = _problem(message)
    return error_for(message, problem) if problem else None


def error_for(message: dict[str, Any], problem: str) -> bytes:
    """An error with the given problem of a message."""
    # With the id of a malformed reply it would look like the answer to one of the client's own requests.
    return _error(None if _replies(message) else _id_of(message), INVALID_REQUEST, problem)


def too_long() -> bytes:
    """The error for a line that was too long to be read, so its id is unknown."""
    return _error(None, INVALID_REQUEST, Lines.TOO_LONG)


def _problem(message: dict[str, Any]) -> str:
    """What is wrong with a message; empty if it is well formed."""
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0".'
    if _replies(message):
        whole = isinstance(message.get("result"), dict) != isinstance(message.get("error"), dict)
        return "" if whole else "A response has either a result or an error, and each is an object."
    if not isinstance(message.get("method"), str):
        return "method must be a string."
    if "id" in message and (isinstance(message["id"], bool) or not isinstance(message["id"], int | str)):
        return "id must be a string or an integer."
    if not isinstance(message.get("params"), dict | None):
        return "params must be an object."
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return _HALF_PAIR
    return ""


def _replies(message: dict[str, Any]) -> bool:
    return "method" not in message and ("result" in message or "error" in message)


def _id_of(message: dict[str, Any]) -> Any:
    """The id as it was sent, if JSON-RPC allows it; else None."""
    request_id = message.get("id")
    if isinstance(request_id, bool) or not isinstance(request_id, int | float | str):
        return None
    return None if isinstance(request_id, float) and not math.isfinite(request_id) else request_id


def _parsed(line: bytes) -> Any:
    """The parsed value, or a ValueError with the reason why it cannot be parsed."""
    try:
        return json.loads(line.decode())
    except json.JSONDecodeError as error:
        return ValueError(f"{error.msg} at character {error.pos}")
    except UnicodeDecodeError as error:
        return ValueError(f"invalid UTF-8 at byte {error.start}")
    except RecursionError:
        return ValueError("it is nested too deeply")
    except ValueError:
        # Python does not parse integers of more than a few thousand digits.
        return ValueError("a number is too long")


def _error(request_id: Any, code: int, message: str) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}).encode()
