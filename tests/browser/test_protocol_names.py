"""Every DevTools command, parameter and event that we name exists in the browser's own protocol.

The same holds for the fake Chrome of the unit tests: it tells of nothing that a browser could not tell of.
"""

import ast
import re
from collections.abc import Container, Iterator, Mapping
from pathlib import Path

from attrs import define

from tests.published_protocol import PublishedProtocol

CHECKOUT = Path(__file__).parents[2]
PACKAGE = CHECKOUT / "gasoline_cdp"
_NAME = re.compile(r"[A-Z][A-Za-z]+\.[a-z][A-Za-z]+")
_SENDING = {"send", "post", "sent", "send_many"}
# How the fake Chrome of the tests tells of something.
_TELLING = {"event"}


@define
class Use:
    """A name of the protocol in our code, with the parameters that are written beside it."""

    place: str
    name: str
    # Whether it is an argument of a call of one of the methods that were asked for.
    called: bool = False
    parameters: tuple[str, ...] = ()


def _uses(directory: Path, methods: set[str]) -> Iterator[Use]:
    """Names of the protocol in the modules of a directory; those that calls of these methods begin with are marked."""
    for path in sorted(directory.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        place = str(path.relative_to(CHECKOUT))
        called: set[int] = set()
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            match node.args:
                case [ast.Constant(value=str() as name) as first, *rest] if (
                    node.func.attr in methods and _NAME.fullmatch(name)
                ):
                    called.add(id(first))
                    yield Use(f"{place}:{node.lineno}", name, called=True, parameters=_keys(rest))
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=str() as name) if _NAME.fullmatch(name) and id(node) not in called:
                    yield Use(f"{place}:{node.lineno}", name)


def _keys(arguments: list[ast.expr]) -> tuple[str, ...]:
    match arguments:
        case [ast.Dict(keys=keys), *_]:
            return tuple(key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str))
    return ()


def _unknown(uses: list[Use], known: Mapping[str, Container[str]]) -> list[str]:
    return [f"{use.place}: {use.name}" for use in uses if use.name not in known] + [
        f"{use.place}: {use.name} has no {parameter}"
        for use in uses
        for parameter in use.parameters
        if parameter not in known.get(use.name, use.parameters)
    ]


def test_what_we_send_and_listen_to_exists(protocol: PublishedProtocol) -> None:
    used = [use for use in _uses(PACKAGE, _SENDING) if use.name.partition(".")[0] in protocol.domains]
    sent = [use for use in used if use.called]
    named = [use for use in used if not use.called]
    assert len(sent) > 50
    assert len(named) > 30
    assert _unknown(sent, protocol.commands) == []
    assert _unknown(named, {**protocol.commands, **protocol.events}) == []


def test_the_fake_chrome_tells_what_a_browser_could(protocol: PublishedProtocol) -> None:
    told = [use for use in _uses(CHECKOUT / "tests" / "unit", _TELLING) if use.called]
    assert len(told) > 10
    assert _unknown(told, protocol.events) == []
