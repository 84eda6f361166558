"""Installing and uninstalling gives the original bytes, for any file of an editor; and nothing else ever changes."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gasoline_cdp.frontends.editors.install import Configuration, read_configuration
from gasoline_cdp.frontends.editors.jsonc import JsoncError, remove_value, set_value, value_at
from gasoline_cdp.frontends.editors.known import EDITORS, SERVER

COMMAND = ["/somewhere/with a space/gasoline-cdp"]
ENTRY = {"command": COMMAND[0], "args": ["mcp"]}

blanks = st.sampled_from(
    ["", " ", "\n", "\n  ", "\n\t", "\r\n    ", " // a remark {\n", "/* and, another */", "\n// ü\n  "]
)
names = st.sampled_from(["mcpServers", "servers", "other", "gasoline", "a b", 'quote"d', "ü", "//", "{"])
scalars = st.one_of(
    st.integers(-5, 5), st.booleans(), st.none(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=6)
).map(lambda value: json.dumps(value, ensure_ascii=False))


@st.composite
def _sequence(draw: Any, items: list[str], opening: str, closing: str) -> str:
    """Members with blanks and remarks anywhere, and a comma behind the last now and then."""
    text = opening
    for place, item in enumerate(items):
        last = place == len(items) - 1
        comma = draw(st.sampled_from(["", ","])) if last else ","
        text += draw(blanks) + item + draw(blanks) + comma
    return f"{text}{draw(blanks)}{closing}"


@st.composite
def _objects(draw: Any, values: Any) -> str:
    keys = draw(st.lists(names, max_size=4, unique=True))
    members = [f"{json.dumps(key)}{draw(blanks)}:{draw(blanks)}{draw(values)}" for key in keys]
    return str(draw(_sequence(members, "{", "}")))


@st.composite
def _lists(draw: Any, values: Any) -> str:
    return str(draw(_sequence(draw(st.lists(values, max_size=3)), "[", "]")))


values = st.recursive(scalars, lambda inner: st.one_of(_objects(inner), _lists(inner)), max_leaves=12)
documents = st.builds(lambda before, text, after: before + text + after, blanks, _objects(values), blanks)


def _servers(text: str) -> Any:
    return value_at(text, ["mcpServers"])


@pytest.mark.requirement("F3-EDITORS")
@given(documents)
def test_a_member_is_added_and_nothing_else_changes(text: str) -> None:
    before = value_at(text, [])
    assume(isinstance(_servers(text), dict) or "mcpServers" not in before)
    changed = set_value(text, ["mcpServers", SERVER], ENTRY)
    after = value_at(changed, [])
    assert after["mcpServers"].pop(SERVER) == ENTRY
    if "mcpServers" not in before:
        assert after.pop("mcpServers") == {}
    assert after == before
    # Every remark is still there.
    assert changed.count("remark") == text.count("remark")
    removed = remove_value(changed, ["mcpServers", SERVER])
    assert {**value_at(removed, []), "mcpServers": None} == {**before, "mcpServers": None}
    if _servers(text):
        assert removed == text


@pytest.mark.requirement("F3-EDITORS")
@given(documents)
def test_what_is_there_is_replaced_in_its_place(text: str) -> None:
    keys = list(value_at(text, []))
    assume(keys)
    changed = set_value(text, [keys[-1]], ENTRY)
    assert value_at(changed, []) == {**value_at(text, []), keys[-1]: ENTRY}
    assert list(value_at(changed, [])) == keys


@given(st.text(alphabet='{}[]",:/*tn1 \\\n', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = value_at(text, [])
    except JsoncError:
        # The strict reader takes nothing that we refuse.
        with pytest.raises(ValueError, match="char"):
            json.loads(text)
        return
    try:
        assert json.loads(text) == found
    except ValueError:
        # With remarks or trailing commas, or with nothing in it.
        assert "/" in text or "," in text or not text.strip()


def _round_trip(directory: Path, editor: str, content: bytes | None) -> None:
    place = directory / ("config.toml" if editor == "codex" else "settings.json")
    place.unlink(missing_ok=True)
    if content is not None:
        place.write_bytes(content)
    first = read_configuration(EDITORS[editor], place)
    changed = first.installed(COMMAND, ["--headless"])
    first.write(changed)
    second = read_configuration(EDITORS[editor], place)
    # A second time changes nothing.
    assert second.installed(COMMAND, []) == changed
    restored = second.uninstalled()
    assert (None if restored is None else restored.encode()) == content
    for left in directory.iterdir():
        left.unlink()


@pytest.mark.requirement("F3-EDITORS")
@given(text=documents, editor=st.sampled_from([name for name in EDITORS if name != "codex"]))
def test_any_json_file_is_the_same_bytes_again(
    tmp_path_factory: pytest.TempPathFactory, text: str, editor: str
) -> None:
    key = EDITORS[editor].servers
    assume(isinstance(value_at(text, [key]), dict) or key not in value_at(text, []))
    _round_trip(tmp_path_factory.mktemp("editor"), editor, text.encode())


tables = st.lists(
    st.sampled_from(
        [
            '[mcp_servers.other]\ncommand = "x" # mine\n',
            "[tui]\n# a remark\ntheme = 'dark'\n",
            "\n",
            "# [mcp_servers.gasoline-cdp]\n",
            "[[things]]\nlist = [\n  [1, 2],\n]\n",
            '[mcp_servers."with.dot"]\ncommand = """\n[no header]\n"""\n',
        ]
    ),
    max_size=4,
    unique=True,
).map("".join)


@pytest.mark.requirement("F3-EDITORS")
@given(head=st.sampled_from(["", "model = 'x'\n", "model = 'x'\r\n", "# only a remark", "a = 1\n\n\n"]), rest=tables)
def test_any_toml_file_is_the_same_bytes_again(tmp_path_factory: pytest.TempPathFactory, head: str, rest: str) -> None:
    text = head + ("\n" if rest and not head.endswith("\n") else "") + rest
    _round_trip(tmp_path_factory.mktemp("editor"), "codex", text.encode())
    # Something else came behind it meanwhile.
    configuration = Configuration(EDITORS["codex"], Path("nowhere/config.toml"), text)
    later = "[later]\nkept = true\n"
    changed = configuration.installed(COMMAND, []) + later
    left = Configuration(EDITORS["codex"], Path("nowhere/config.toml"), changed).uninstalled()
    assert left is not None
    assert tomllib.loads(left) == {**tomllib.loads(text), "later": {"kept": True}}


@pytest.mark.requirement("F3-EDITORS")
@pytest.mark.parametrize("editor", EDITORS)
@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xef\xbb\xbf"])
def test_a_file_that_is_not_there_or_empty(editor: str, content: bytes | None, tmp_path: Path) -> None:
    _round_trip(tmp_path, editor, content)
