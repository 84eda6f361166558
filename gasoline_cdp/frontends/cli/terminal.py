"""What a person sees: live lines in columns, and short reports. Page text is shown as text, never as markup."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, NoReturn
from urllib.parse import urlsplit

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.frontends.editors.known import editor_configuration
from gasoline_cdp.frontends.invocation import as_typed

_CLOCK_WIDTH = 8
_TAG_WIDTH = 10
# Between the columns: two spaces, one, two.
_GAPS = 5
# The message has at least this share of a line; what is left of the line belongs to the place.
_MESSAGE_SHARE = 0.6
# From here on there is room for the function's name beside file and line.
_WIDE = 100
# Of the pilot, in `status`.
_PILOT_EVENTS = 5
_BLANK = re.compile(r"\s")
# Between a script's name and the line.
_QUERY = re.compile(r"\?[^?]*(?=:\d+$)")
# What became of a request, in a word for the narrow column.
_OUTCOMES = {"cors_blocked": "CORS"}
_STYLES = {
    "exception": "bold red",
    "rejection": "bold red",
    "error": "red",
    "warning": "yellow",
    "event": "cyan",
    "change": "cyan",
    "browser": "magenta",
    "info": "default",
    "log": "default",
    "debug": "dim",
}


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the command line, for which a reader who has seen enough is no failure."""
        raise BrokenPipeError


def open_console(*, stderr: bool = False) -> Console:
    """Colour where there is a terminal, plain text elsewhere; markup and emoji codes in page text stay as they are."""
    return _Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)


def cut(text: str, width: int) -> str:
    """Text that fits into so many columns of a terminal; a Chinese character takes two."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)).rstrip() + "…" if width > 0 else ""


def local_time(ts: str, later_ms: float = 0) -> str:
    """The clock time of an ISO time, for people."""
    return (datetime.fromisoformat(ts) + timedelta(milliseconds=later_ms)).astimezone().strftime("%H:%M:%S")


def short_place(at: str, *, function: bool = True) -> str:
    """`applyCoupon (http://…/app.js:88:12)` → `app.js:88 applyCoupon`."""
    name, _, where = at.rpartition(" (")
    address, _, _column = where.removesuffix(")").rpartition(":")
    # A development server puts the time of a change behind a script's name.
    address = _QUERY.sub("", address)
    file = address.rsplit("/", 1)[-1] or address
    if file.startswith(":"):
        # Code that stands in the page itself, whose address ends in a slash.
        file = short_url(address)
    return f"{file} {name}".strip() if function else file


def short_url(url: str) -> str:
    """Path and query; the host only where it is not the loopback of a developer."""
    try:
        parts = urlsplit(url)
    except ValueError:
        # A masked user part looks like a broken IPv6 address: http://[REDACTED]@host/
        return url
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
    show = LINES.get(str(line.get("record")))
    return show(line, width) if show else None


def _missed_line(line: dict[str, Any], _: int) -> Text:
    return Text(f"… {number_of(line['count'], 'record')} came too fast to show", style="dim")


def _log_line(line: dict[str, Any], width: int) -> Text:
    tag = (
        line["kind"]
        if line["kind"] in {"exception", "rejection", "event", "browser", "build", "change"}
        else line["level"]
    )
    message = " ".join(line["message"].split())
    at = line.get("at") or ""
    place = short_place(at, function=width >= _WIDE) if line["kind"] != "event" else ""
    return _columns(local_time(line["ts"]), tag, message, place, style=_STYLES.get(tag, "default"), width=width)


def _network_line(line: dict[str, Any], width: int) -> Text:
    status = _outcome(line)
    wrong = line["outcome"] not in {"ok", "redirect", "pending"}
    style = "red" if wrong else "dim" if line["type"] not in {"Document", "XHR", "Fetch"} else "green"
    tag = f"{line['method']} {status}"
    message = short_url(line["url"])
    if line.get("failure"):
        message += f"  {line['failure']}"
    if line.get("body"):
        message += f"  {line['body']}"
    if line.get("redirect_to"):
        message += f" → {short_url(line['redirect_to'])}"
    duration = line.get("duration_ms")
    slow = duration is not None and duration >= 1000
    place = f"{duration:.0f} ms" if duration is not None else ""
    place += f" {size_text(line['bytes']) if line.get('bytes') else '':>9}"
    if line.get("at"):
        place = f"{short_place(line['at'], function=False)}  {place}"
    # A request is shown when it ends, and so with the time at which it ended: the lines stay in order.
    ended = local_time(line["ts"], duration or 0)
    return _columns(ended, tag, message, place, style=style, width=width, place_style="yellow" if slow else "dim")


def _outcome(line: dict[str, Any]) -> str:
    outcome = str(line.get("outcome") or "")
    return str(line.get("status") or _OUTCOMES.get(outcome, outcome))


def _socket_line(line: dict[str, Any], width: int) -> Text:
    kind = "sse" if line["type"] == "eventsource" else "ws"
    event = line["event"]
    tag = f"{kind} {'→' if line.get('direction') == 'outgoing' else '←'}" if event == "message" else f"{kind} {event}"
    what = " ".join((line.get("data") or "").split()) or short_url(line["url"])
    if event == "error" and (reason := (line.get("details") or {}).get("message")):
        what += f"  {reason}"
    style = "red" if event == "error" else "dim" if event == "message" else "cyan"
    # An answer leaves out what is 0.
    place = size_text(line.get("size", 0)) if event == "message" else ""
    return _columns(local_time(line["ts"]), tag, what, place, style=style, width=width)


def _action_line(line: dict[str, Any], width: int) -> Text:
    message = _acted_on(_element(line["selectors"]), line["fields"])
    place = short_url(line.get("url", ""))
    return _columns(local_time(line["ts"]), line["type"], message, place, style="cyan", width=width)


def _acted_on(element: str, fields: dict[str, Any]) -> str:
    details = " ".join(f"{name}={value}" for name, value in fields.items() if isinstance(value, str | int | float))
    return "  ".join(part for part in (element, details) if part)


def _timeline_line(line: dict[str, Any], width: int) -> Text:
    """An entry of `observe(what="timeline")`, at the time when it began."""
    clock, event = local_time(line["ts"]), line["event"]
    if event == "action":
        message = _acted_on(line.get("element") or "", line.get("fields") or {})
        return _columns(clock, str(line.get("type")), message, "", style="cyan", width=width)
    if event == "request":
        tag = f"{line.get('method')} {_outcome(line)}"
        message = "  ".join(part for part in (short_url(line.get("url") or ""), line.get("failure")) if part)
        duration = line.get("duration_ms")
        place = "" if duration is None else f"{duration:.0f} ms"
        # Only what went wrong or is not over has an outcome here.
        style = "green" if line.get("outcome") in (None, "pending") else "red"
        return _columns(clock, tag, message, place, style=style, width=width)
    return _log_line({"level": event, "kind": line.get("type"), "message": "", **line}, width)


# By the names of `KINDS`, and of what is no record. Kinds without a line are too much for a person to follow.
LINES: dict[str, Callable[[dict[str, Any], int], Text]] = {
    "log": _log_line,
    "network": _network_line,
    "websocket": _socket_line,
    "action": _action_line,
    "timeline": _timeline_line,
    "missed": _missed_line,
}


def _element(selectors: dict[str, Any]) -> str:
    """The first way to find the element again, which is the best."""
    for value in selectors.values():
        if isinstance(value, str):
            return value
        if isinstance(value, dict):
            return " ".join(str(part) for part in value.values())
    return ""


def _columns(
    clock: str, tag: str, message: str, place: str, *, style: str, width: int, place_style: str = "dim"
) -> Text:
    """Time, kind, message and place in exactly one line; the place stands at the right edge."""
    # A function may have a line end in its name.
    message, place = _BLANK.sub(" ", message), _BLANK.sub(" ", place)
    # A word that is longer than its column takes from the message: cut, it would be another.
    tag_width = max(_TAG_WIDTH, min(cell_len(tag), 2 * _TAG_WIDTH))
    inner = max(0, width - _CLOCK_WIDTH - tag_width - _GAPS)
    place = cut(place, inner - min(cell_len(message), int(inner * _MESSAGE_SHARE)))
    room = inner - cell_len(place)
    text = Text(no_wrap=True, overflow="crop")
    text.append(clock, style="dim")
    text.append("  ")
    text.append(set_cell_size(tag, tag_width), style=style)
    text.append(" ")
    text.append(set_cell_size(cut(message, room), room), style=style if _is_alarm(style) else "default")
    text.append("  ")
    text.append(place, style=place_style)
    text.truncate(width)
    text.rstrip()
    return text


def _is_alarm(style: str) -> bool:
    return style in {"red", "bold red", "yellow"}


def show_status(console: Console, status: dict[str, Any], http: str = "") -> None:
    """`gasoline-cdp status` for people; `http` says where else it can be asked."""
    browser = status["browser"]
    head = Text("● ", style="green" if browser["state"] == "running" else "red")
    head.append(f"gasoline-cdp {status['version']}", style="bold")
    memory = f", {status['memory_mb']} MB" if status.get("memory_mb") else ""
    head.append(f"  process {status['pid']}, up {_age(status['uptime_seconds'])}{memory}", style="dim")
    console.print(head)
    how = "headless" if browser.get("headless") else "with a window" if browser.get("headless") is False else ""
    parts = [
        browser.get("version", ""),
        browser["mode"],
        how,
        f"viewport {browser['viewport']}" if browser.get("viewport") else "",
        f"process {browser['pid']}" if browser.get("pid") else "",
    ]
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row("  browser", f"{browser['state']}: {', '.join(part for part in parts if part)}")
    if browser.get("debug_url"):
        table.add_row("", f"debugging port: {browser['debug_url']}")
    if browser.get("note"):
        table.add_row("", Text(browser["note"], style="yellow"))
    pending = number_of(status["requests_pending"], "request")
    table.add_row("  tabs", f"{status['tabs']} open, {pending} under way")
    for name, ring in status["buffers"].items():
        kept = f"{ring['kept']} of {ring['received']} kept ({size_text(ring['bytes'])})"
        text = Text(kept)
        if ring["dropped"]:
            text.append(f", {ring['dropped']} dropped", style="yellow")
        table.add_row(f"  {name}", text)
    switch = f"; its switch: {status['pilot_switch']}" if status.get("pilot_switch") else ""
    table.add_row("  capture", f"bodies {status['bodies']}, pilot {'on' if status['pilot'] else 'off'}{switch}")
    _add_pilot_events(table, status)
    if subscribers := status["streaming"]["subscribers"]:
        held = sum(one["held_back"] for one in subscribers)
        told, lost = status["streaming"]["sent"], status["streaming"]["dropped"]
        number = number_of(len(subscribers) + status["streaming"].get("left_out", 0), "subscriber")
        table.add_row("  streaming", f"{number}, {told} sent, {held} held back, {lost} dropped")
    if http:
        table.add_row("  http", Text(http, overflow="fold"))
    console.print(table)


def _add_pilot_events(table: Table, status: dict[str, Any]) -> None:
    """The newest flips of the pilot's switch and calls that needed it, and how many more there were."""
    events = status.get("pilot_events") or []
    for place, event in enumerate(events[:_PILOT_EVENTS]):
        tool = f"{event['tool']} " if event.get("tool") else ""
        what = f"{local_time(event['ts'])}  {tool}{event['what'].replace('_', ' ')} ({event['by'].replace('_', ' ')})"
        table.add_row("  pilot" if place == 0 else "", what)
    more = status.get("pilot_events_total", 0) - len(events[:_PILOT_EVENTS])
    if more > 0:
        table.add_row("", Text(f"and {more} more (the newest {len(events)} with --json)", style="dim"))


def _age(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def show_next_steps(console: Console) -> None:
    """What a newcomer does next: the own app, then the editor. Commands are never broken, so they can be copied."""
    for number, title, command in (
        ("1", "Open your own app", as_typed("gasoline-cdp launch http://localhost:3000")),
        ("2", "Add this to your editor's MCP servers", editor_configuration()),
    ):
        console.print(Text.assemble((f"\n{number}  ", "bold cyan"), (title, "bold")))
        console.print()
        for line in command.splitlines():
            console.print(Text(f"   {line}", style="green"), soft_wrap=True)
    console.print(Text.assemble(("\n3  ", "bold cyan"), ("Ask your assistant what is wrong with the page", "bold")))
