"""`install` and `uninstall`: write or remove our entry in an editor's configuration, and change nothing else."""

import difflib
import os
import stat
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import frozen

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.editors.jsonc import JsoncError, remove_value, set_value, value_at
from gasoline_cdp.frontends.editors.known import ALIASES, EDITORS, Editor, editor_configuration, this_machine
from gasoline_cdp.frontends.editors.toml_table import TomlError, add_table, remove_table, table_at
from gasoline_cdp.frontends.invocation import NAME, UsageError, editor_command, on_path

_BACKUP = ".before-gasoline-cdp"


def run_install(name: str | None, extra: Sequence[str], *, project: bool, dry_run: bool) -> int:
    """Write our entry, or show it. A second run changes nothing."""
    editor, file = _chosen(name, "install", project=project)
    configuration = read_configuration(editor, file)
    # A project's file is shared: a path of this machine would be wrong on every other machine.
    changed = configuration.installed([NAME] if project else editor_command(), list(extra))
    if changed == configuration.text:
        print(f"{editor.title} has it already: {file}")
        return 0
    if dry_run:
        _show_change(file, configuration.text or "", changed)
        return 0
    configuration.write(changed)
    print(f"Added gasoline-cdp to {editor.title}: {file}")
    if configuration.text is not None:
        print(f"What was there before is in {_backup_of(file)}")
    print(editor.then)
    if project and not on_path():
        print(f"{NAME} must be on the PATH of everybody who uses this project; here it is not yet.")
    return 0


def run_uninstall(name: str | None, *, project: bool, dry_run: bool) -> int:
    """Remove our entry, or show the change. Everything else stays."""
    editor, file = _chosen(name, "uninstall", project=project)
    configuration = read_configuration(editor, file)
    if configuration.entry() is None:
        print(f"{editor.title} does not have it: {file}")
        return 0
    changed = configuration.uninstalled()
    if dry_run:
        _show_change(file, configuration.text or "", changed or "")
        return 0
    if changed is None:
        file.unlink()
    else:
        configuration.write(changed)
    _backup_of(file).unlink(missing_ok=True)
    print(f"Removed gasoline-cdp from {editor.title}: {file}")
    return 0


def _chosen(name: str | None, command: str, *, project: bool) -> tuple[Editor, Path]:
    listed = "\n".join(f"  {key:<12} {editor.title}" for key, editor in EDITORS.items())
    if name is None:
        raise UsageError(f"gasoline-cdp {command}: which editor?\n{listed}")
    key = ALIASES.get(name.lower(), name.lower())
    if key not in EDITORS:
        close = difflib.get_close_matches(key, [*EDITORS, *ALIASES], n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else "known are:"
        raise UsageError(
            f"gasoline-cdp {command}: {name[:60]!r} is not known; {hint}\n{listed}\n"
            f"Most others take this:\n{editor_configuration()}"
        )
    editor = EDITORS[key]
    if not project:
        return editor, editor.file(this_machine())
    if editor.project is None:
        raise UsageError(f"gasoline-cdp {command}: {editor.title} has no configuration for a project.")
    return editor, Path.cwd() / editor.project


@frozen
class Configuration:
    """An editor's configuration file; `text` is None if there is no file."""

    editor: Editor
    file: Path
    text: str | None

    def entry(self) -> dict[str, Any] | None:
        """Our entry in the file, or None."""
        if self.text is None:
            return None
        entry = self._edit(table_at, self.text, *self.editor.path()) if self._is_toml() else None
        entry = entry if self._is_toml() else self._edit(value_at, self.text, self.editor.path())
        return entry if isinstance(entry, dict) else None

    def installed(self, command: list[str], extra: list[str]) -> str:
        """The text with our entry. Options that somebody added to the entry stay, unless others are given."""
        text = self.text or ""
        there = self.entry()
        wanted = self.editor.entry(command, extra or _options_of(there))
        if there is not None:
            wanted = {**there, **wanted}
        if there == wanted:
            return text
        if not self._is_toml():
            return str(self._edit(set_value, text, self.editor.path(), wanted))
        if there is not None:
            text = self._edit(remove_table, text, *self.editor.path())
        return str(self._edit(add_table, text, *self.editor.path(), wanted))

    def uninstalled(self) -> str | None:
        """The text without our entry, or the backup if nothing else has changed. None: remove the file."""
        text = self.text or ""
        before = _read(_backup_of(self.file))
        there = self.entry() or {}
        command = [str(there.get("command"))]
        arguments = [str(argument) for argument in there.get("args") or []]
        index = arguments.index("mcp") if "mcp" in arguments else 0
        original = Configuration(self.editor, self.file, before)
        if original.entry() is None:
            undone = original.installed([*command, *arguments[:index]], arguments[index + 1 :])
            if undone == text:
                return before
        if self._is_toml():
            return str(self._edit(remove_table, text, *self.editor.path()))
        return str(self._edit(remove_value, text, self.editor.path()))

    def _is_toml(self) -> bool:
        return self.file.suffix == ".toml"

    def _edit(self, edit: Any, *arguments: Any) -> Any:
        try:
            return edit(*arguments)
        except (JsoncError, TomlError) as error:
            raise GasolineError(
                Code.INVALID_PARAMS,
                f"{self.file} was left as it is, since it cannot be read: {error}. Mend it, or add the server by hand.",
            ) from error

    def write(self, text: str) -> None:
        """Replace the file atomically, with the same mode. Keep the old text as a backup the first time."""
        # Follow a symbolic link: some people keep their settings elsewhere.
        target = Path(os.path.realpath(self.file))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            mode = stat.S_IMODE(target.stat().st_mode) if self.text is not None else 0o644
            if self.text is not None and not _backup_of(self.file).exists():
                _replace(_backup_of(self.file), self.text, mode)
            _replace(target, text, mode)
        except OSError as error:
            raise GasolineError(Code.INVALID_PARAMS, f"Cannot write {target}: {error.strerror}.") from error


def read_configuration(editor: Editor, file: Path) -> Configuration:
    """Read an editor's file. Raises GasolineError if it is not readable."""
    try:
        return Configuration(editor, file, _read(file))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise GasolineError(Code.INVALID_PARAMS, f"Cannot read {file}: {why}.") from error


def _options_of(entry: dict[str, Any] | None) -> list[str]:
    arguments = (entry or {}).get("args")
    if not isinstance(arguments, list) or "mcp" not in arguments:
        return []
    return [str(argument) for argument in arguments[arguments.index("mcp") + 1 :]]


def _backup_of(file: Path) -> Path:
    return file.with_name(file.name + _BACKUP)


def _read(file: Path) -> str | None:
    try:
        # As bytes, so that line endings stay as they are.
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None


def _replace(file: Path, text: str, mode: int) -> None:
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(text.encode("utf-8"))
            if sys.platform != "win32":
                os.fchmod(stream.fileno(), mode)
        Path(name).replace(file)
    except OSError:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _show_change(file: Path, before: str, after: str) -> None:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(file), f"{file} (changed)", lineterm="")
    print("\n".join(lines))
