"""What a person sees: live lines in columns, and short reports. Page text is shown as text, never as markup."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from rich.console import Console
from rich.text import Text

_TAG_WIDTH = 10
_PLACE_WIDTH = 30
_STYLES = {
    "exception": "bold red",
    "rejection": "bold red",
    "error": "red",
    "warning": "yellow",
    "event": "cyan",
    "browser": "magenta",
    "info": "default",
    "log": "default",
    "debug": "dim",
}


def open_console(*, stderr: bool = False) -> Console:
    """Colour where there is a terminal, plain text elsewhere; markup and emoji codes in page text stay as they are."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)


def local_time(ts: str, later_ms: float = 0) -> str:
    """The clock time of an ISO time, for people."""
    return (datetime.fromisoformat(ts) + timedelta(milliseconds=later_ms)).astimezone().strftime("%H:%M:%S")


def short_place(at: str) -> str:
    """`applyCoupon (http://…/app.js:88:12)` → `app.js:88 applyCoupon`."""
    function, _, where = at.rpartition(" (")
    where = where.removesuffix(")")
    address, _, _column = where.rpartition(":")
    name = address.rsplit("/", 1)[-1] or address
    return f"{name} {function}".strip()


def short_url(url: str) -> str:
    """Path and query; the host only where it is not the loopback of a developer."""
    parts = urlsplit(url)
    if not parts.netloc:
        return url
    path = parts.path + (f"?{parts.query}" if parts.query else "")
    return path if parts.hostname in {"127.0.0.1", "localhost", "::1"} else parts.netloc + path


def size_text(count: int) -> str:
    """Bytes as people say them."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.1f} KB" if count < 1024 * 1024 else f"{count / 1024 / 1024:.1f} MB"


def live_line(line: dict[str, Any], width: int) -> Text | None:
    """One record as one line of columns: time, kind, what, where."""
    match line.get("record"):
        case "log":
            tag = line["kind"] if line["kind"] in {"exception", "rejection", "event", "browser"} else line["level"]
            message = " ".join(line["message"].split())
            place = short_place(line.get("at") or "") if line["kind"] != "event" else ""
            return _columns(local_time(line["ts"]), tag, message, place, style=_STYLES.get(tag, "default"), width=width)
        case "network":
            return _network_line(line, width)
        case "missed":
            return Text(f"… {line['count']} records came too fast to show", style="dim")
        case _:
            return None


def _network_line(line: dict[str, Any], width: int) -> Text:
    status = str(line.get("status") or line["outcome"])
    wrong = line["outcome"] not in {"ok", "redirect", "pending"}
    style = "red" if wrong else "dim" if line["type"] not in {"Document", "XHR", "Fetch"} else "green"
    tag = f"{line['method']} {status}"
    message = short_url(line["url"])
    if line.get("failure"):
        message += f"  {line['failure']}"
    if line.get("redirect_to"):
        message += f" → {short_url(line['redirect_to'])}"
    duration = line.get("duration_ms")
    slow = duration is not None and duration >= 1000
    place = f"{duration:.0f} ms" if duration is not None else ""
    place += f"  {size_text(line['bytes'])}" if line.get("bytes") else ""
    # A request is shown when it ends, and so with the time at which it ended: the lines stay in order.
    ended = local_time(line["ts"], duration or 0)
    return _columns(ended, tag, message, place, style=style, width=width, place_style="yellow" if slow else "dim")


def _columns(
    clock: str, tag: str, message: str, place: str, *, style: str, width: int, place_style: str = "dim"
) -> Text:
    place = place if len(place) <= _PLACE_WIDTH else "…" + place[-_PLACE_WIDTH + 1 :]
    room = max(20, width - 8 - _TAG_WIDTH - len(place) - 5)
    message = message if len(message) <= room else message[: room - 1] + "…"
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append(clock, style="dim")
    text.append("  ")
    text.append(tag[:_TAG_WIDTH].ljust(_TAG_WIDTH), style=style)
    text.append(" ")
    text.append(message.ljust(room), style=style if style in {"red", "bold red", "yellow"} else "default")
    text.append("  ")
    text.append(place, style=place_style)
    return text


def show_status(console: Console, status: dict[str, Any]) -> None:
    """`gasoline-cdp status` for people."""
    browser = status["browser"]
    good = browser["state"] == "running"
    head = Text("● ", style="green" if good else "red")
    head.append(f"gasoline-cdp {status['version']}", style="bold")
    memory = f", {status['memory_mb']} MB" if status.get("memory_mb") else ""
    head.append(f"  process {status['pid']}, up {_age(status['uptime_seconds'])}{memory}", style="dim")
    console.print(head)
    how = "headless" if browser.get("headless") else "with a window" if browser.get("headless") is False else ""
    parts = [
        browser.get("version", ""),
        browser["mode"],
        how,
        f"process {browser['pid']}" if browser.get("pid") else "",
    ]
    console.print(f"  browser   {browser['state']}: {', '.join(part for part in parts if part)}")
    if browser.get("note"):
        console.print(Text(f"            {browser['note']}", style="yellow"))
    console.print(f"  tabs      {status['tabs']} open, {status['requests_pending']} requests under way")
    for name, ring in status["buffers"].items():
        dropped = f", {ring['dropped']} dropped" if ring["dropped"] else ""
        console.print(
            f"  {name:<15} {ring['kept']:>5} of {ring['received']} kept ({size_text(ring['bytes'])}){dropped}"
        )
    console.print(f"  bodies    {status['bodies']}   pilot {'on' if status['pilot'] else 'off'}")


def _age(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


EDITOR_CONFIGURATION = """{
  "mcpServers": {
    "gasoline-cdp": { "command": "gasoline-cdp", "args": ["mcp"] }
  }
}"""
