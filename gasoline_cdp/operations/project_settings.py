"""What a project sets in its files: performance budgets, gates and allow-lists."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from attrs import evolve

from gasoline_cdp.analysis.gates.gate import Gate
from gasoline_cdp.analysis.gates.settings import GateSettings, read_settings
from gasoline_cdp.analysis.performance.budgets import DEFAULT, Budgets, read_budgets
from gasoline_cdp.errors import Code, GasolineError

# The files, and the tables in each that are ours. The first file that has something counts.
_FILES: tuple[tuple[str, tuple[str, ...]], ...] = (("gasoline.toml", ()), ("pyproject.toml", ("tool", "gasoline-cdp")))

S_co = TypeVar("S_co", covariant=True)
S = TypeVar("S")


class _Reads(Protocol[S_co]):
    def __call__(self, text: str, *, name: str, section: tuple[str, ...]) -> S_co | None: ...


def find_budgets(directory: Path | None) -> Budgets | None:
    """The budgets of the project in `directory`."""
    return _first(directory, read_budgets, Code.BAD_BUDGETS, ("budgets",))


def find_gates(directory: Path | None, fail_on: Sequence[Gate] | None = None) -> GateSettings:
    """The gates of the project in `directory`. `fail_on` replaces the default ones; those of paths stay."""
    settings = _first(directory, read_settings, Code.BAD_SETTINGS) or GateSettings()
    return settings if fail_on is None else evolve(settings, gates={**settings.gates, DEFAULT: tuple(fail_on)})


def _first(directory: Path | None, read: _Reads[S], code: Code, table: tuple[str, ...] = ()) -> S | None:
    for name, section in _FILES if directory else ():
        try:
            text = (directory / name).read_text(encoding="utf-8") if directory else ""
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise GasolineError(code, f"{name} cannot be read: {error}.") from error
        if settings := read(text, name=name, section=(*section, *table)):
            return settings
    return None
