"""Reads a table of a TOML file."""

import tomllib
from collections.abc import Sequence
from typing import Any

from gasoline_cdp.errors import Code, GasolineError


def read_table(text: str, name: str, section: Sequence[str], code: Code) -> Any:
    """What stands at `section` of the file; None if there is nothing. Raises `code` if it is not TOML."""
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise GasolineError(code, f"{name} is not TOML: {error}.") from error
    for part in section:
        table = table.get(part) if isinstance(table, dict) else None
    return table
