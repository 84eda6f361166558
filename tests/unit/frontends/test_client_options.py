"""What one client asks for itself: which tools it is offered, and how they answer."""

import subprocess
import sys

import pytest

from gasoline_cdp.frontends.client_options import CORE, DEFAULTS, ClientOptions, client_options_of
from gasoline_cdp.frontends.invocation import UsageError
from gasoline_cdp.frontends.options import parse
from gasoline_cdp.tools.registry import TOOLS

pytestmark = pytest.mark.requirement("F9-TOOLS")


def _typed(*arguments: str) -> ClientOptions:
    return client_options_of(parse(["mcp", *arguments]))


def test_who_asks_for_nothing_is_offered_everything() -> None:
    assert _typed() == _typed("--tools", "all") == DEFAULTS == ClientOptions(tools=None, answers="lines")
    assert all(map(DEFAULTS.offers, TOOLS))


def test_core_are_tools_that_there_are() -> None:
    assert _typed("--tools", "core").tools == CORE
    assert TOOLS.keys() >= set(CORE)


@pytest.mark.parametrize(
    ("typed", "tools"),
    [
        ("verify_fix", ("verify_fix",)),
        (" query_dom , observe,", ("observe", "query_dom")),
        ("generate,core", (*CORE[:-1], "generate", CORE[-1])),
        ("observe,observe", ("observe",)),
        ("core,all", None),
    ],
)
def test_tools_are_named_in_any_order_and_offered_in_ours(typed: str, tools: tuple[str, ...] | None) -> None:
    offered = _typed("--tools", typed).tools
    assert offered == tools
    assert offered is None or [name for name in TOOLS if name in offered] == list(offered)


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("obsrve", "there is no tool 'obsrve'; did you mean 'observe'?"),
        ("observe,cor", "there is no tool 'cor'; did you mean 'core'?"),
        ("secure_audit", "there is no tool 'secure_audit'; did you mean 'security_audit'?"),
        ("zzz", "there is no tool 'zzz'; tools: observe, get_network_bodies,"),
        (" , ", "must name a tool, core or all"),
        ("", "must name a tool, core or all"),
    ],
)
def test_what_is_no_tool_is_refused(typed: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        _typed("--tools", typed)
    assert str(refused.value).startswith(f"gasoline-cdp mcp: argument --tools: {words}")


def test_answers_are_lines_or_json() -> None:
    assert _typed("--answers", "json").answers == "json"
    with pytest.raises(UsageError, match="--answers"):
        _typed("--answers", "xml")


def test_core_is_understood_without_the_tools() -> None:
    """The greeting of `--standalone` must not wait for their import."""
    code = (
        "import sys\nfrom gasoline_cdp.frontends.client_options import offered_tools\n"
        "offered_tools('core'), offered_tools('all')\nprint('gasoline_cdp.tools.registry' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout == b"False\n"
