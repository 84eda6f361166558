"""CSS rules and event listeners of an element, with the locations where they were written."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from attrs import define, frozen

from gasoline_cdp.analysis.sourcemaps.frames import place_of
from gasoline_cdp.answers.element_details import CssRule, EventListener
from gasoline_cdp.capture.debugger import DebuggedScript, DebuggedTarget, Debugger
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.probe.element_listeners import FoundListener, listeners_of
from gasoline_cdp.probe.element_rules import FoundRule, rules_of
from gasoline_cdp.probe.elements import hold_element, one_at_a_time, release
from gasoline_cdp.records import StackFrame
from gasoline_cdp.redact import safe_text, safe_url


@frozen(kw_only=True)
class ElementDetails:
    """What was asked for; None otherwise."""

    css: list[CssRule] | None = None
    listeners: list[EventListener] | None = None


@define
class _ScriptNames:
    """Uses the debugger for a moment: only it says to which file a script's number belongs. It stops nothing."""

    is_on: bool = False

    def begin(self, target: DebuggedTarget) -> None:
        pass

    def parsed(self, target: DebuggedTarget, script: DebuggedScript) -> None:
        pass

    def paused(self, target: DebuggedTarget, params: Params) -> bool:  # noqa: ARG002 - as the protocol has it
        return False


async def element_details(context: Context, tab: Tab, selector: str, include: Sequence[str]) -> ElementDetails:
    """Ask about the first element that a selector names. Raises `invalid_selector` and Chrome's errors."""
    async with one_at_a_time(tab):
        held = await hold_element(tab, selector)
        if held is None:
            raise GasolineError(Code.INVALID_SELECTOR, f"{safe_text(selector, 100)!r} matches nothing in the page.")
        frame, element = held
        session = frame.world.session
        try:
            rules = await rules_of(frame, element) if "css" in include else None
            listeners = await listeners_of(frame, element) if "listeners" in include else None
        finally:
            release(session)
    names = await _script_names(context.capture.debugger, session, listeners or [])
    locations = [rule.location for rule in rules or []] + [_location(one, names) for one in listeners or []]
    known = [location for location in locations if location is not None]
    original = iter(await context.capture.source_maps.original(known, tab.source, session))
    said = [None if location is None else place_of(next(original)) for location in locations]
    count = len(rules or [])
    css = [_rule(*pair) for pair in zip(rules or [], said[:count], strict=True)]
    entries = [_listener(*pair) for pair in zip(listeners or [], said[count:], strict=True)]
    return ElementDetails(css=css if rules is not None else None, listeners=entries if listeners is not None else None)


def _rule(rule: FoundRule, at: str | None) -> CssRule:
    return CssRule(
        selector=rule.selector,
        declarations=[text for text, lost in rule.declarations if not lost],
        overridden=[text for text, lost in rule.declarations if lost],
        within=rule.within,
        at=at,
    )


def _listener(one: FoundListener, at: str | None) -> EventListener:
    flags = [
        name for name, is_set in (("capture", one.capture), ("passive", one.passive), ("once", one.once)) if is_set
    ]
    return EventListener(event=one.event, on=one.on if one.depth else None, flags=flags, at=at)


def _location(one: FoundListener, names: dict[str, str]) -> StackFrame | None:
    url = names.get(one.script_id)
    return StackFrame("", safe_url(url), one.line, one.column) if url else None


async def _script_names(debugger: Debugger, session: Session, listeners: Sequence[FoundListener]) -> dict[str, str]:
    """The address of each script, by its number."""
    if not listeners:
        return {}
    with _using(debugger):
        for target in debugger.targets():
            if target.session is session:
                # It is carried out after the debugger was switched on, unlike commands about breakpoints.
                await session.send("DOM.enable")
                return {number: script.url for number, script in target.scripts.items()}
    return {}


@contextmanager
def _using(debugger: Debugger) -> Iterator[None]:
    user = _ScriptNames(is_on=True)
    debugger.users.append(user)
    debugger.refresh()
    try:
        yield
    finally:
        debugger.users.remove(user)
        debugger.refresh()
