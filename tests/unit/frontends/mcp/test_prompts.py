"""Prompts name only tools that there are, whichever those are, and nothing that a person did not type."""

import re
from itertools import combinations

import pytest

from gasoline_cdp import wire
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends import limits as frontend_limits
from gasoline_cdp.frontends.mcp.greeting import INSTRUCTIONS
from gasoline_cdp.frontends.mcp.prompts import PROMPTS, text_of
from gasoline_cdp.tools.registry import TOOLS
from gasoline_cdp.tools.schemas import observed

pytestmark = pytest.mark.requirement("F3-MCP")

# Every tool that is or is planned, so that a prompt that names one too early is found out.
ALL = {
    "observe", "get_websocket_events", "get_network_bodies", "query_dom", "get_page_info", "run_accessibility_audit",
    "analyze", "security_audit", "verify_fix", "diff_sessions", "validate_api", "configure_streaming",
    "check_performance", "generate_test", "generate", "highlight_element", "manage_state", "execute_javascript",
}  # fmt: skip
# Those that change the words of a prompt, there or not.
OPTIONAL = ("query_dom", "verify_fix", "analyze", "run_accessibility_audit", "get_network_bodies", "get_page_info")
ALWAYS = ALL & TOOLS.keys() - set(OPTIONAL)


def _named(text: str) -> set[str]:
    calls = set(re.findall(r"\b([a-z]+(?:_[a-z]+)*)\(", text))
    return calls | {name for name in ALL if "_" in name and re.search(rf"\b{name}\b", text)}


@pytest.mark.parametrize("name", PROMPTS)
@pytest.mark.parametrize(
    "optional", [some for number in range(len(OPTIONAL) + 1) for some in combinations(OPTIONAL, number)]
)
def test_a_prompt_names_only_tools_that_there_are(name: str, optional: tuple[str, ...]) -> None:
    tools = ALWAYS | set(optional)
    text = text_of(name, None, tools)
    assert _named(text) <= tools
    assert "observe(" in text
    assert set(re.findall(r"observe\(what='(\w+)'", text)) <= set(observed())


def test_without_observe_there_are_no_prompts() -> None:
    with pytest.raises(GasolineError, match="no prompts, as observe is not offered"):
        text_of("debug_page", None, {"query_dom"})


def _promises() -> list[str]:
    """Every call that the instructions and prompts spell out."""
    texts = [INSTRUCTIONS]
    for prompt in PROMPTS.values():
        texts.append(text_of(prompt.name, None))
        texts += [text_of(prompt.name, {one.name: choice}) for one in prompt.arguments for choice in one.choices]
    return sorted({call for text in texts for call in re.findall(r"\b[a-z]+(?:_[a-z]+)*\([^()]*\)", text)})


@pytest.mark.parametrize("call", _promises())
def test_every_call_that_is_promised_can_be_made(call: str) -> None:
    name, _, arguments = call.rstrip(")").partition("(")
    known = wire.schema_of(TOOLS[name].args)["properties"]
    given = {argument: value.strip("'") for argument, value in re.findall(r"(\w+)=([^,]+)", arguments)}
    for argument, value in re.findall(r"(\w+)=([^,]+)", arguments):
        assert argument in known
        assert wire.goes_with(TOOLS[name].args, argument, given)
        if value.startswith("'") and "enum" in known[argument]:
            assert value.strip("'") in known[argument]["enum"]


def test_a_leak_is_looked_for_between_two_snapshots() -> None:
    text = text_of("find_leak", None)
    before = text.index("analyze(action='memory', scope='snapshot', name='before')")
    assert before < text.index("seven times") < text.index("scope='leaks', name='before', rounds=7")


@pytest.mark.parametrize("name", PROMPTS)
def test_what_a_person_says_is_in_the_prompt_and_bounded(name: str) -> None:
    prompt = PROMPTS[name]
    free = [argument.name for argument in prompt.arguments if not argument.choices]
    text = text_of(name, {key: f"{key} said \u202e" + "x" * 9000 for key in free})
    for key in free:
        assert f"{key} said" in text
    assert "\u202e" not in text
    assert len(text) < 3000 + len(free) * 3 * frontend_limits.PROMPT_ARGUMENT_CHARS
    for argument in prompt.arguments:
        for choice in argument.choices:
            assert text_of(name, {argument.name: choice})
    assert text_of(name, dict.fromkeys(free, " ")) == text_of(name, None)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("nothing", {}), ("debug_page", {"wrong": "x"}), ("debug_page", {"focus": "x"}), ("find_leak", {"level": "A"})],
)
def test_what_there_is_not_is_refused(name: str, arguments: dict[str, str]) -> None:
    with pytest.raises(GasolineError) as refused:
        text_of(name, arguments)
    assert refused.value.message.endswith(".")


def test_the_network_is_looked_at_only_where_that_is_wanted() -> None:
    assert "get_network_bodies" in text_of("debug_page", {"focus": "network"})
    assert "get_network_bodies" not in text_of("debug_page", {"focus": "console"})
    assert "vitals" in text_of("debug_page", {"focus": "performance"})
