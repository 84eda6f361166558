"""Parses what the observers in pages report of actions: known types and fields only, every text made safe."""

import re
from collections.abc import Callable
from typing import Any, Literal

from attrs import evolve, frozen

from gasoline_cdp import limits
from gasoline_cdp.analysis.markup import is_secret_field
from gasoline_cdp.capture.outlines import exact_text, parse_outline
from gasoline_cdp.capture.roles import Held
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord, Source
from gasoline_cdp.redact import safe_text, safe_url

_KEYS = {
    "Enter", "Escape", "Tab", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Backspace", "Delete",
}  # fmt: skip
# Keys that are reported with a modifier.
_SHORTCUT = re.compile(r"[a-zA-Z0-9/.,;'\[\]\\=-]|F\d{1,2}|Home|End|PageUp|PageDown")
_MODIFIERS = ("Alt", "Control", "Meta", "Shift")
_CONTAINERS = ("row", "listitem", "article", "dialog", "group")
_TEST_IDS = ("data-testid", "data-test-id", "data-cy")
_OPTIONS = 20
# What a user typed or chose, and what is shown instead if it is secret.
_TYPED = ("value", "selected_value", "selected_text")
_HIDDEN = "[redacted]"
# A page's clock is the machine's. If it is a day off, a test has set it.
_CLOCK_SECONDS = 86400.0


@frozen(kw_only=True)
class Action:
    """An action as reported, before it has a sequence number."""

    type: str
    ts: float
    url: str
    selectors: dict[str, Any]
    fields: dict[str, Any]
    page_changed: bool = False
    until: float | None = None
    by: Literal["human", "ai"] = "human"

    def record(self, seq: int, source: Source) -> ActionRecord:
        """Add sequence number and source. The URL is the one at the time of the action."""
        if self.url:
            source = evolve(source, url=self.url)
        return ActionRecord(
            seq=seq,
            ts=self.ts,
            source=source,
            type=self.type,
            selectors=self.selectors,
            fields=self.fields,
            page_changed=self.page_changed,
            until=self.until,
            by=self.by,
        )


def parse_action(report: Params, now: float) -> Action | None:
    """An action of a known type. Fields with unexpected types are left out."""
    parsers = _FIELDS.get(str(report.get("type")))
    if parsers is None:
        return None
    given = _mapping(report.get("fields"))
    if _is_secret(report.get("names")):
        given = {name: _hidden(value) if name in _TYPED else value for name, value in given.items()}
    fields = {name: value for name, parse in parsers.items() if (value := parse(given.get(name))) is not None}
    if not _REQUIRED.get(str(report["type"]), set()) <= fields.keys():
        return None
    if "key" in fields and fields["key"] not in _KEYS and "modifiers" not in fields:
        # A letter that was typed, and no shortcut.
        return None
    return Action(
        type=str(report["type"]),
        ts=wall_time(report.get("ts"), now),
        url=safe_url(report.get("url")),
        selectors=_parse_selectors(_mapping(report.get("selectors"))),
        fields=fields,
        page_changed=report.get("page_changed") is True,
        until=wall_time(report["until"], now) if "until" in report else None,
    )


def _is_secret(names: object) -> bool:
    """Whether a field's name, now or earlier, says that its value is secret."""
    return isinstance(names, list) and any(
        is_secret_field({key: value for key, value in _mapping(one).items() if isinstance(value, str)}) for one in names
    )


def _hidden(value: object) -> object:
    return [_HIDDEN] * len(value) if isinstance(value, list) else _HIDDEN if value else value


def parse_dom_snapshot(report: Params, now: float, seq: int, source: Source) -> DomSnapshotRecord | None:
    """What a page showed; None if the report is malformed."""
    trigger, elements = report.get("trigger"), report.get("elements")
    if trigger not in ("load", "history", "action") or not isinstance(elements, list):
        return None
    if str(report.get("url")).startswith("chrome-error:"):
        # The browser's own page, in place of one that did not load.
        return None
    shown = [_parse_shown(_mapping(element)) for element in elements[: limits.DOM_SNAPSHOT_ELEMENTS]]
    return DomSnapshotRecord(
        seq=seq,
        ts=wall_time(report.get("ts"), now),
        source=evolve(source, url=safe_url(report.get("url")) or source.url),
        trigger=trigger,
        elements=tuple(element for element in shown if element is not None),
        outline=parse_outline(report.get("outline")),
    )


def _parse_shown(element: Params) -> dict[str, Any] | None:
    selector = exact_text(element.get("selector"), limits.SELECTOR_CHARS)
    role = element.get("role")
    if role not in ("heading", "test_id", "text", "gone") or selector is None:
        return None
    shown: dict[str, Any] = {"role": role, "text": shown_text(element.get("text")) or "", "selector": selector}
    return {**shown, **(_test_id(element) or {})} if role == "test_id" else shown


def parse_held(report: Params, session: Session, context_id: object) -> Held | None:
    """The element that a report is about, if the page holds it for us."""
    handle, elements = report.get("handle"), report.get("elements")
    if _is_whole(handle) and _is_whole(elements) and _is_whole(context_id):
        return Held(session, context_id, handle, elements)  # type: ignore[arg-type]
    return None


# Roles that a page's observer may presume.
_PRESUMED = frozenset({"link", "button", "tab", "menuitem"})


def _parse_selectors(given: Params) -> dict[str, Any]:
    """Keep only selectors that are unchanged: a cut or masked one would match nothing, or another element."""
    selectors: dict[str, Any] = {}
    if (test_id := _test_id(_mapping(given.get("test_id")))) is not None:
        selectors["test_id"] = test_id
    for name in ("label", "placeholder", "alt", "title", "cell", "text", "id", "css"):
        if (value := exact_text(given.get(name), limits.SELECTOR_CHARS)) is not None:
            selectors[name] = value
    if (container := _container(_mapping(given.get("container")))) is not None:
        selectors["container"] = container
    if (presumed := _presumed(_mapping(given.get("presumed")))) is not None:
        selectors["presumed"] = presumed
    return selectors


def _presumed(given: Params) -> dict[str, str] | None:
    role, name = given.get("role"), exact_text(given.get("name"), limits.SELECTOR_CHARS)
    return {"role": role, "name": name} if role in _PRESUMED and name is not None else None


def _container(given: Params) -> dict[str, Any] | None:
    role, text, css = given.get("role"), exact_text(given.get("text"), limits.SELECTOR_CHARS), given.get("css")
    if role not in _CONTAINERS or text is None:
        return None
    alike = given.get("alike")
    container = {"role": role, "text": text, "alike": alike if _is_whole(alike) else 0}
    return {**container, "css": css} if exact_text(css, limits.SELECTOR_CHARS) else container


def _test_id(given: Params) -> dict[str, str] | None:
    value = exact_text(given.get("value"), limits.SELECTOR_CHARS)
    attribute = given.get("attribute")
    return {"attribute": attribute, "value": value} if attribute in _TEST_IDS and value is not None else None


def shown_text(value: object) -> str | None:
    """The text cut to so many characters, including the mark of the cut."""
    if not isinstance(value, str):
        return None
    text = safe_text(value, limits.ACTION_VALUE_CHARS)
    return text if len(text) <= limits.ACTION_VALUE_CHARS else text[: limits.ACTION_VALUE_CHARS - 1] + "…"


def _chosen(value: object) -> str | list[str] | None:
    """The text of the chosen option, or of all options of a multiple choice."""
    if isinstance(value, list):
        return [text for item in value[:_OPTIONS] if (text := shown_text(item)) is not None]
    return shown_text(value)


def _word(value: object) -> str | None:
    return safe_text(value, 40) if isinstance(value, str) and value else None


def _address(value: object) -> str | None:
    return safe_url(value) if isinstance(value, str) else None


def _key(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    return value if value in _KEYS or _SHORTCUT.fullmatch(value) else None


def _modifiers(value: object) -> list[str] | None:
    return [name for name in _MODIFIERS if name in value] if isinstance(value, list) and value else None


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _point(value: object) -> list[int] | None:
    """Pixels from the left and from the top."""
    pixels = [_pixels(number) for number in value[:2]] if isinstance(value, list) else []
    return [number for number in pixels if number is not None] if len(pixels) == 2 and None not in pixels else None


def _selectors(value: object) -> dict[str, Any] | None:
    return _parse_selectors(_mapping(value)) or None


def _pixels(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and abs(value) < 2**31 else None


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def wall_time(milliseconds: object, now: float) -> float:
    """The page's time in seconds since the epoch; the current time if its clock is not the machine's."""
    if isinstance(milliseconds, int | float) and abs(milliseconds - now * 1000) < _CLOCK_SECONDS * 1000:
        return milliseconds / 1000
    return now


def _mapping(value: object) -> Params:
    return value if isinstance(value, dict) else {}


_Parsers = dict[str, Callable[[object], Any]]

_FIELDS: dict[str, _Parsers] = {
    "click": {
        "x": _pixels,
        "y": _pixels,
        "text": shown_text,
        "modifiers": _modifiers,
        "checked": _flag,
        "at": _point,
        "closed_root": _flag,
    },
    "dblclick": {"text": shown_text},
    "contextmenu": {"modifiers": _modifiers},
    "auxclick": {"modifiers": _modifiers},
    "hover": {},
    "drag": {"from": _point, "to": _point, "target": _selectors},
    "input": {"value": shown_text, "input_type": _word, "files": _chosen},
    "select": {"selected_value": _chosen, "selected_text": _chosen},
    "keypress": {"key": _key, "modifiers": _modifiers},
    "submit": {"action": _address, "method": _word},
    "scroll": {"scroll_x": _pixels, "scroll_y": _pixels},
}
# An action without these fields says nothing.
_REQUIRED = {"input": {"value"}, "select": {"selected_value"}, "keypress": {"key"}}
