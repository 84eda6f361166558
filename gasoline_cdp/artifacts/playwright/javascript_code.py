"""Locators, literals and expectations as JavaScript: every text of a page becomes a literal that it cannot leave."""

import json
from urllib.parse import urlsplit

from gasoline_cdp.analysis.flows.counters import COUNTED
from gasoline_cdp.analysis.flows.locators import Locator
from gasoline_cdp.analysis.normalise import is_id
from gasoline_cdp.artifacts.playwright.patterns import escaped, pattern_of
from gasoline_cdp.artifacts.playwright.shapes import ArrayOf, Expected

_TYPES = {"string": "String", "number": "Number", "boolean": "Boolean"}
_EXACT = {
    "label": "getByLabel", "placeholder": "getByPlaceholder", "alt": "getByAltText", "title": "getByTitle",
    "text": "getByText",
}  # fmt: skip
# What stands around the members of an object, and around the element of an array.
_OBJECT_CHARS, _ARRAY_CHARS = 30, 27


def text(value: str) -> str:
    """A string literal in single quotes, or in double ones if that saves escaping, as formatters write it."""
    quoted = json.dumps(value, ensure_ascii=False)
    if "'" not in value or '"' in value:
        quoted = "'" + quoted[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"
    # These two end a line in JavaScript, but not in JSON.
    return quoted.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def text_or_pattern(value: str) -> str:
    """A string literal, or a regular expression if a number in the text may be another one."""
    if COUNTED not in value:
        return text(value)
    return f"/{pattern_of(value)}/"


def key(name: str) -> str:
    """A key of an object literal."""
    return name if name.isidentifier() and name.isascii() else text(name)


def locator(element: Locator) -> str:
    """`.getByRole('button', { name: 'Save', exact: true })`, to stand behind a page."""
    frames = "".join(f".frameLocator({text(frame)})" for frame in element.frames)
    container = ""
    if element.container_role:
        container = f".getByRole({text(element.container_role)}).filter({{ hasText: {text(element.container_text)} }})"
    return f"{frames}{container}{_own(element)}"


def _own(element: Locator) -> str:
    if element.kind == "test_id":
        if element.detail in {"", "data-testid"}:
            return f".getByTestId({text(element.value)})"
        return f".locator({text(f'[{element.detail}={json.dumps(element.value, ensure_ascii=False)}]')})"
    if element.kind == "role" and not element.value:
        return f".getByRole({text(element.detail)})"
    if element.kind == "role":
        return f".getByRole({text(element.detail)}, {{ name: {text(element.value)}, exact: true }})"
    if element.kind in _EXACT:
        return f".{_EXACT[element.kind]}({text(element.value)}, {{ exact: true }})"
    return f".locator({text(element.value)})"


def shown_text(value: str, role: str = "") -> str:
    """`.getByText('Saved', { exact: true })`, or the element with this role and name. A pattern cannot be exact."""
    said = text_or_pattern(value)
    exact = "" if COUNTED in value else ", exact: true"
    if role:
        return f".getByRole({text(role)}, {{ name: {said}{exact} }})"
    return f".getByText({said})" if COUNTED in value else f".getByText({said}, {{ exact: true }})"


def template_literal(line: str) -> str:
    """What stands for a line between backticks."""
    return line.replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")


def expectation(expected: Expected, width: int, depth: int = 0) -> str:
    """`expect.objectContaining({ id: expect.any(Number) })`, on several lines if it is longer than the width."""
    if isinstance(expected, str):
        return f"expect.any({_TYPES[expected]})"
    if isinstance(expected, ArrayOf):
        if expected.element is None:
            return "expect.any(Array)"
        return f"expect.arrayContaining([{expectation(expected.element, width - _ARRAY_CHARS, depth)}])"
    if not expected.members:
        return "expect.any(Object)"
    flat = ", ".join(f"{key(name)}: {expectation(member, 10_000)}" for name, member in expected.members)
    if len(flat) + 2 * depth + _OBJECT_CHARS <= width:
        return f"expect.objectContaining({{ {flat} }})"
    indent = "  " * (depth + 1)
    rows = "".join(
        f"{indent}{key(name)}: {expectation(member, width, depth + 1)},\n" for name, member in expected.members
    )
    return f"expect.objectContaining({{\n{rows}{'  ' * depth}}})"


def url_pattern(url: str) -> str:
    """A regular expression for an address: any id in place of ids, any query, any origin."""
    parts = urlsplit(url)
    segments = ("[^/]+" if is_id(segment) else escaped(segment) for segment in (parts.path or "/").split("/"))
    has_fragment = parts.fragment and not is_id(parts.fragment)
    end = rf"(?:\?[^#]*)?#{escaped(parts.fragment)}$" if has_fragment else "(?:[?#]|$)"
    path = r"\/".join(segments)
    return rf"/^\w+:\/\/[^/]+{path}{end}/"
