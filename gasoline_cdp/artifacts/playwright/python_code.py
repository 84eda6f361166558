"""Locators, literals and expectations as Python, for pytest-playwright."""

import json
import re
from urllib.parse import urlsplit

from gasoline_cdp.analysis.flows.counters import COUNTED
from gasoline_cdp.analysis.flows.locators import Locator
from gasoline_cdp.analysis.normalise import is_id
from gasoline_cdp.artifacts.playwright.patterns import pattern_of
from gasoline_cdp.artifacts.playwright.shapes import ArrayOf, Expected

_TYPES = {"string": "str", "number": "(int, float)", "boolean": "bool"}
_EXACT = {
    "label": "get_by_label", "placeholder": "get_by_placeholder", "alt": "get_by_alt_text", "title": "get_by_title",
    "text": "get_by_text",
}  # fmt: skip

_COLLECT_ERRORS = '''
def collect_errors(page: Page, errors: list[str]) -> None:
    """Errors of the page, from its first script on."""
    page.on("pageerror", lambda error: errors.append(error.message))
    page.on("console", lambda message: errors.append(message.text) if is_error(message) else None)


def is_error(message: ConsoleMessage) -> bool:
    """The icon of the tab is the browser's own request."""
    path = urlsplit(message.location["url"]).path
    return message.type == "error" and not path.endswith("/favicon.ico") and path not in MISSING
'''
_ANSWER_TO = '''
def answer_to(method: str, path: str) -> Callable[[Response], bool]:
    """The next answer to a call. In a path, :id stands for any id."""
    segments = path.split("/")

    def is_it(response: Response) -> bool:
        given = urlsplit(response.url).path.split("/")
        same = all(one in (":id", other) for one, other in zip(segments, given, strict=False))
        return response.request.method == method and len(given) == len(segments) and same

    return is_it
'''
_HAS_SHAPE = '''
def has_shape(value: Any, shape: Any) -> bool:
    """Whether a JSON value has these keys and types. Of a list, one element has to."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(key in value and has_shape(value[key], shape[key]) for key in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and any(has_shape(element, shape[0]) for element in value)
    return isinstance(value, shape)
'''
# By their names, in the order in which they are defined.
DEFINITIONS = {"collect_errors": _COLLECT_ERRORS, "answer_to": _ANSWER_TO, "has_shape": _HAS_SHAPE}


def text(value: str) -> str:
    """A string literal: in double quotes, or in single ones if that saves escaping."""
    if '"' in value and "'" not in value and "\\" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=not value.isprintable())


def text_or_pattern(value: str) -> str:
    """A string literal, or a regular expression if a number in the text may be another one."""
    if COUNTED not in value:
        return text(value)
    # Only in JavaScript a slash is special.
    return _compiled(pattern_of(value).replace("\\/", "/"))


def shown_text(value: str, role: str = "") -> str:
    """`.get_by_text("Saved", exact=True)`, or the element with this role and name. A pattern cannot be exact."""
    exact = "" if COUNTED in value else ", exact=True"
    said = f"{text_or_pattern(value)}{exact}"
    return f".get_by_role({text(role)}, name={said})" if role else f".get_by_text({said})"


def _compiled(pattern: str) -> str:
    return f're.compile(r"{pattern}")' if '"' not in pattern and "\n" not in pattern else f"re.compile({text(pattern)})"


def locator(element: Locator) -> str:
    """`.get_by_role("button", name="Save", exact=True)`, to stand behind a page."""
    frames = "".join(f".frame_locator({text(frame)})" for frame in element.frames)
    container = ""
    if element.container_role:
        container = f".get_by_role({text(element.container_role)}).filter(has_text={text(element.container_text)})"
    return f"{frames}{container}{_own(element)}"


def _own(element: Locator) -> str:
    if element.kind == "test_id":
        if element.detail in {"", "data-testid"}:
            return f".get_by_test_id({text(element.value)})"
        return f".locator({text(f'[{element.detail}={json.dumps(element.value, ensure_ascii=False)}]')})"
    if element.kind == "role" and not element.value:
        return f".get_by_role({text(element.detail)})"
    if element.kind == "role":
        return f".get_by_role({text(element.detail)}, name={text(element.value)}, exact=True)"
    if element.kind in _EXACT:
        return f".{_EXACT[element.kind]}({text(element.value)}, exact=True)"
    return f".locator({text(element.value)})"


def triple_quoted(line: str) -> str:
    """What stands for a line between triple quotes."""
    return line.replace("\\", "\\\\").replace('"""', '\\"""')


def placeholder_file(name: str) -> str:
    """A file to upload in place of one that was chosen."""
    return f'{{"name": {text(name)}, "mimeType": "application/octet-stream", "buffer": b"placeholder"}}'


def from_environment(name: str) -> str:
    """A value that was masked."""
    return f"os.environ[{text(name)}]"


def expectation(expected: Expected, width: int = 10_000, depth: int = 0) -> str:
    """`{"id": (int, float), "tags": [str]}`, which the helper of the test compares; on several lines if it is long."""
    if isinstance(expected, str):
        return _TYPES[expected]
    indent, inner = "    " * depth, "    " * (depth + 1)
    if isinstance(expected, ArrayOf):
        flat = "list" if expected.element is None else f"[{expectation(expected.element)}]"
        if expected.element is None or len(indent) + len(flat) <= width:
            return flat
        return f"[\n{inner}{expectation(expected.element, width, depth + 1)}\n{indent}]"
    if not expected.members:
        return "dict"
    flat = "{" + ", ".join(f"{text(name)}: {expectation(member)}" for name, member in expected.members) + "}"
    if len(indent) + len(flat) <= width:
        return flat
    rows = (f"{inner}{text(name)}: {expectation(member, width, depth + 1)},\n" for name, member in expected.members)
    return "{\n" + "".join(rows) + indent + "}"


def url_pattern(url: str) -> str:
    """A regular expression for an address: any id in place of ids, any query, any origin."""
    parts = urlsplit(url)
    segments = ("[^/]+" if is_id(segment) else re.escape(segment) for segment in (parts.path or "/").split("/"))
    has_fragment = parts.fragment and not is_id(parts.fragment)
    end = rf"(\?[^#]*)?#{re.escape(parts.fragment)}$" if has_fragment else "([?#]|$)"
    return _compiled(rf"^\w+://[^/]+{'/'.join(segments)}{end}")
