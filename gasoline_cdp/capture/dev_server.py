"""Build errors that a development server sends to its page. Often the decisive line appears nowhere else.

Supported: Vite, webpack-dev-server, webpack-hot-middleware and Next.js (`built`, `sync`), Parcel.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.events.hot_updates import VITE_PROTOCOL
from gasoline_cdp.capture.stacks import mapping
from gasoline_cdp.records import StackFrame
from gasoline_cdp.redact import safe_text, safe_url

# How their messages begin, so that nothing else has to be parsed.
_BEGINNING = re.compile(
    r'\s{0,9}\{\s{0,9}(?:"name"\s{0,9}:\s{0,9}"[^"]{0,100}"\s{0,9},\s{0,9})?'
    r'"(?:type|action)"\s{0,9}:\s{0,9}"(?:errors?|built|sync)"'
)
_NUMBERS = re.compile(r":(\d{1,7}):(\d{1,6})")
_NOT_IN_A_PATH = re.compile(r"[\s\[\]()\"'<>|:]")
_FILE_NAME = re.compile(r"\.[A-Za-z]{1,8}$")
_PATH_CHARS = 300
_LOCATIONS_TRIED = 20
_LINE_AND_COLUMN = re.compile(r"\(?(\d{1,7}):(\d{1,6})")
_ANSI = re.compile(r"\x1b\[[0-9;]{0,20}m")
_ERRORS = 10


@frozen(kw_only=True)
class BuildError:
    """One error of a build, with its location if the server sends it."""

    message: str
    frame: StackFrame | None


def build_errors(text: str, protocol: str) -> list[BuildError]:
    """The build errors in a message to the page. Empty if it is no message of a development server, or has none."""
    if len(text) > limits.SHAPE_BYTES or not _BEGINNING.match(text):
        return []
    try:
        message = mapping(orjson.loads(text))
    except orjson.JSONDecodeError:
        return []
    if protocol == VITE_PROTOCOL:
        return list(_of_vite(mapping(message.get("err"))))
    if "diagnostics" in message:
        return list(_of_parcel(mapping(message["diagnostics"])))
    errors = message.get("data") if message.get("type") == "errors" else message.get("errors")
    return list(_of_webpack(errors if isinstance(errors, list) else []))


def _of_vite(error: dict[str, Any]) -> Iterator[BuildError]:
    if isinstance(error.get("message"), str):
        location = mapping(error.get("loc"))
        file = str(error.get("id") or location.get("file") or "")
        text = _ANSI.sub("", error["message"])
        frame = error.get("frame") or ""
        if frame and frame not in text:
            text = f"{text}\n{frame}"
        frame = _frame_at(file, location.get("line"), location.get("column")) if location else _frame_in(text, file)
        yield _made(str(error.get("plugin") or "vite"), text, frame)


def _of_webpack(errors: list[Any]) -> Iterator[BuildError]:
    for error in errors[:_ERRORS]:
        details = error if isinstance(error, dict) else {"message": error}
        text = details.get("message")
        if isinstance(text, str):
            text = _ANSI.sub("", text)
            file = str(details.get("moduleName") or details.get("file") or "")
            match = _LINE_AND_COLUMN.match(str(details.get("loc") or ""))
            frame = _frame_at(file, int(match[1]), int(match[2])) if match and file else _frame_in(text, file)
            yield _made("webpack", text, frame)


def _of_parcel(diagnostics: dict[str, Any]) -> Iterator[BuildError]:
    ansi = diagnostics.get("ansi")
    for diagnostic in ansi[:_ERRORS] if isinstance(ansi, list) else ():
        details = mapping(diagnostic)
        if isinstance(details.get("message"), str):
            text = _ANSI.sub(
                "", f"{details['message']}\n{details.get('codeframe') or details.get('stack') or ''}"
            ).strip()
            yield _made("parcel", text, _frame_in(text, ""))


def _made(builder: str, text: str, frame: StackFrame | None) -> BuildError:
    return BuildError(message=safe_text(f"Build failed ({builder}): {text.strip()}"), frame=frame)


def _frame_in(text: str, file: str) -> StackFrame | None:
    """The first location in a message; in `file` if that is known."""
    name = file.partition("?")[0].rpartition("/")[2]
    for match in islice(_NUMBERS.finditer(text[: limits.TEXT_CHARS]), _LOCATIONS_TRIED):
        # Search backwards from the number: a pattern tried at each character would take quadratic time.
        path = _NOT_IN_A_PATH.split(text[max(0, match.start() - _PATH_CHARS) : match.start()])[-1]
        if path.endswith(name) if name else _FILE_NAME.search(path):
            return _frame_at(file or path, int(match[1]), int(match[2]))
    return _frame_at(file, 0, 0) if file else None


def _frame_at(file: str, line: object, column: object) -> StackFrame:
    return StackFrame("", safe_url(file), _natural(line), _natural(column))


def _natural(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**31 else 0
