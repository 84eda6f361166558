"""Adds or removes one table of a TOML file as text, so that comments and order stay. Parses the result to check it."""

import json
import re
import tomllib
from typing import Any


class TomlError(Exception):
    """The text is not TOML, or the table cannot be edited as text. The message says what is wrong, and where."""


def table_at(text: str, parent: str, name: str) -> dict[str, Any] | None:
    """The table `[parent.name]`, or None."""
    servers = _read(text).get(parent)
    table = servers.get(name) if isinstance(servers, dict) else None
    return table if isinstance(table, dict) else None


def add_table(text: str, parent: str, name: str, values: dict[str, Any]) -> str:
    """The text with a table added at its end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{parent}.{name}]", *(f"{_key(key)} = {_written(value)}" for key, value in values.items()), ""]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    changed = text + gap + newline.join(lines)
    expected = _read(text)
    servers = expected.setdefault(parent, {})
    if not isinstance(servers, dict):
        raise TomlError(f"{parent} is not a table")
    servers[name] = values
    return _checked(changed, expected, parent, name)


def remove_table(text: str, parent: str, name: str) -> str:
    """The text without a table and its subtables; unchanged if there is none."""
    expected = _read(text)
    servers = expected.get(parent)
    if not isinstance(servers, dict) or name not in servers:
        return text
    del servers[name]
    if not servers:
        # Our table's header was all that defined the parent.
        del expected[parent]
    lines = text.splitlines(keepends=True)
    ours = re.compile(rf"\s*\[\s*{re.escape(parent)}\s*\.\s*[\"']?{re.escape(name)}[\"']?\s*[\].]")
    kept: list[str] = []
    held: list[str] = []
    inside = False
    for line in lines:
        if line.lstrip().startswith("["):
            was_inside, inside = inside, bool(ours.match(line))
            if inside and not was_inside and kept and not kept[-1].strip():
                # The blank line before a table belongs to it.
                kept.pop()
            kept += [] if inside else held
            held = []
        if not inside:
            kept.append(line)
        elif not line.strip() or line.lstrip().startswith("#"):
            # Blank lines and comments before the next table belong to that one.
            held.append(line)
        else:
            held = []
    return _checked("".join(kept + held), expected, parent, name)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _written(value: Any) -> str:
    """A value on one line. A string, number or boolean of JSON is also valid TOML."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {_written(item)}' for key, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return json.dumps(value, ensure_ascii=False, default=str)


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise TomlError(str(error)) from error


def _checked(text: str, expected: dict[str, Any], parent: str, name: str) -> str:
    try:
        reread = _read(text)
    except TomlError:
        reread = {}
    if reread != expected and {parent: {}, **reread} != {parent: {}, **expected}:
        raise TomlError(f"{parent}.{name} cannot be edited where it stands; change it by hand")
    return text
