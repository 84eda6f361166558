"""`gasoline-cdp watch`: prints the running daemon's records as they arrive."""

import json
from typing import Any

from rich.text import Text

from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.frontends.cli.answers import live_column, live_text, read_lines, say_older
from gasoline_cdp.frontends.cli.terminal import open_console
from gasoline_cdp.frontends.local import bridge
from gasoline_cdp.records import WRONG

# The values of `--only`, and what the daemon calls them.
_KINDS = {"logs": "log", "network": "network", "websockets": "websocket", "actions": "action"}


def run_watch(*, errors: bool, only: str | None, url: str | None, as_json: bool) -> int:
    """Print until the daemon ends or the reader closes the pipe."""
    view = _Json() if as_json else _Screen()
    for record in bridge.watch(lines=not as_json):
        if record.get("record") == "hello":
            view.begin(record)
        elif _wanted(record, errors=errors, only=only, url=url):
            view.show(record)
    view.end()
    return 0


class _Json:
    """The output for programs: one JSON record per line, and nothing else."""

    def begin(self, hello: dict[str, Any]) -> None:
        pass

    def show(self, record: dict[str, Any]) -> None:
        print(json.dumps(record), flush=True)

    def end(self) -> None:
        pass


class _Screen(_Json):
    """The output for people: one line per record, in columns."""

    def __init__(self) -> None:
        self._console = open_console()
        self._column = live_column()
        self._has_lines = True

    def begin(self, hello: dict[str, Any]) -> None:
        self._has_lines = hello.get("answers") == "lines"
        if not self._has_lines:
            say_older(hello["version"])
        greeting = f"Watching gasoline-cdp {hello['version']}, browser {hello['browser']}. Ctrl-C ends the view only."
        self._console.print(greeting)

    def show(self, record: dict[str, Any]) -> None:
        if record["record"] == "missed":
            self._console.print(Text(f"… {number_of(record['count'], 'record')} came too fast to show", style="dim"))
        elif not self._has_lines:
            super().show(record)
        elif "line" in record:
            (line,) = read_lines([record["line"]])
            self._console.print(live_text(line, self._column, self._console.width))

    def end(self) -> None:
        self._console.print("gasoline-cdp has ended.")


def _wanted(record: dict[str, Any], *, errors: bool, only: str | None, url: str | None) -> bool:
    kind = record.get("record")
    if kind == "missed":
        return True
    if only and kind != _KINDS[only]:
        return False
    if errors and not _is_error(record):
        return False
    addresses = (record.get("url", ""), record.get("page", ""), record.get("at") or "")
    return url is None or any(url.lower() in address.lower() for address in addresses)


def _is_error(record: dict[str, Any]) -> bool:
    return record.get("level") == "error" or record.get("outcome") in WRONG or record.get("event") == "error"
