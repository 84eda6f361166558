"""Locators, literals and expectations as Python, for pytest-playwright."""

import json
import re
from urllib.parse import urlsplit

from gasoline_cdp.analysis.flows.locators import Locator
from gasoline_cdp.analysis.normalise import is_id
from gasoline_cdp.artifacts.playwright.shapes import ArrayOf, Expected

_TYPES = {"string": "str", "number": "(int, float)", "boolean": "bool"}
_EXACT = {
    "label": "get_by_label", "placeholder": "get_by_placeholder", "alt": "get_by_alt_text", "title": "get_by_title",
    "text": "get_by_text",
}  # fmt: skip


def text(value: str) -> str:
    """A string literal in double quotes."""
    return json.dumps(value, ensure_ascii=not value.isprintable())


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


def expectation(expected: Expected) -> str:
    """`{"id": (int, float), "tags": [str]}`, which the helper of the test compares."""
    if isinstance(expected, str):
        return _TYPES[expected]
    if isinstance(expected, ArrayOf):
        return "list" if expected.element is None else f"[{expectation(expected.element)}]"
    if not expected.members:
        return "dict"
    return "{" + ", ".join(f"{text(name)}: {expectation(member)}" for name, member in expected.members) + "}"


def url_pattern(url: str) -> str:
    """A regular expression for an address: any id in place of ids, any query, any origin."""
    parts = urlsplit(url)
    segments = ("[^/]+" if is_id(segment) else re.escape(segment) for segment in (parts.path or "/").split("/"))
    fragment = f"#{re.escape(parts.fragment)}" if parts.fragment and not is_id(parts.fragment) else "(#.*)?"
    pattern = rf"^\w+://[^/]+{'/'.join(segments)}(\?[^#]*)?{fragment}$"
    return f're.compile(r"{pattern}")' if '"' not in pattern else f"re.compile({text(pattern)})"
