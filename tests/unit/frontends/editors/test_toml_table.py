"""A table comes and goes, and what cannot be done safely is refused."""

import pytest

from gasoline_cdp.frontends.editors.toml_table import TomlError, add_table, remove_table, table_at

VALUES = {"command": "x", "args": ["mcp"], "env": {"A": "b"}, "enabled": True}


def test_a_table_is_added_at_the_end_and_found_again() -> None:
    text = "# mine\nmodel = 'x'\n"
    changed = add_table(text, "servers", "ours", VALUES)
    assert changed == text + ('\n[servers.ours]\ncommand = "x"\nargs = ["mcp"]\nenv = { A = "b" }\nenabled = true\n')
    assert table_at(changed, "servers", "ours") == VALUES
    assert remove_table(changed, "servers", "ours") == text


def test_subtables_go_too_and_remarks_of_the_next_table_stay() -> None:
    text = '[servers.ours]\ncommand = "x"\n\n[servers.ours.env]\nA = "b"\n\n# about the next\n[next]\na = 1\n'
    assert remove_table(text, "servers", "ours") == "\n# about the next\n[next]\na = 1\n"


def test_nothing_to_remove_changes_nothing() -> None:
    for text in ("", "a = 1", "[servers]\n", "servers = 1"):
        assert remove_table(text, "servers", "ours") == text
        assert table_at(text, "servers", "ours") is None


@pytest.mark.parametrize("text", ["servers = { other = { command = 'x' } }\n", "servers = 1\n", "[servers\n"])
def test_a_table_that_cannot_be_added_is_refused(text: str) -> None:
    with pytest.raises(TomlError):
        add_table(text, "servers", "ours", VALUES)


def test_what_is_no_table_of_its_own_has_to_be_removed_by_hand() -> None:
    with pytest.raises(TomlError, match="by hand"):
        remove_table("servers = { ours = { command = 'x' }, other = {} }\n", "servers", "ours")
    with pytest.raises(TomlError, match="by hand"):
        remove_table("[servers]\nours.command = 'x'\nother = {}\n", "servers", "ours")
