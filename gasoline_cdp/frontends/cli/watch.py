"""`gasoline-cdp watch`: the running daemon's records as they come."""

import json
from typing import Any

from gasoline_cdp.frontends.cli.terminal import live_line, open_console
from gasoline_cdp.frontends.local import bridge
from gasoline_cdp.records import WRONG

# What `--only` takes, and what the daemon calls it.
_KINDS = {"logs": "log", "network": "network", "websockets": "websocket", "actions": "action"}


def run_watch(*, errors: bool, only: str | None, url: str | None, as_json: bool) -> int:
    """Print until the daemon ends or the reader has seen enough."""
    console = open_console()
    for line in bridge.watch():
        if line.get("record") == "hello":
            if not as_json:
                console.print(
                    f"Watching gasoline-cdp {line['version']}, browser {line['browser']}. Ctrl-C ends the view only."
                )
            continue
        if not _wanted(line, errors=errors, only=only, url=url):
            continue
        if as_json:
            print(json.dumps(line), flush=True)
        elif text := live_line(line, console.width):
            console.print(text)
    if not as_json:
        console.print("gasoline-cdp has ended.")
    return 0


def _wanted(line: dict[str, Any], *, errors: bool, only: str | None, url: str | None) -> bool:
    kind = line.get("record")
    if kind == "missed":
        return True
    if only and kind != _KINDS[only]:
        return False
    if errors and not _is_error(line):
        return False
    places = (line.get("url", ""), line.get("page", ""), line.get("at") or "")
    return url is None or any(url.lower() in place.lower() for place in places)


def _is_error(line: dict[str, Any]) -> bool:
    return line.get("level") == "error" or line.get("outcome") in WRONG or line.get("event") == "error"
