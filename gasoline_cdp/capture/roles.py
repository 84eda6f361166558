"""Asks the browser for the role and name of an element that somebody acted on: its own computation, not a guess.

The answer needs Chrome's accessibility tree, which it builds for the whole page and keeps up to date from then on. So
that the page does not pay for it, large pages are not asked, and the tree is given up when nobody acts any more.
"""

from typing import Any

import trio
from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Session
from gasoline_cdp.redact import safe_text

_GROUP = "gasoline-roles"
_NAME_CHARS = 100
# Roles that say nothing about an element.
_MEANINGLESS = {"none", "presentation", "generic"}
# Where Chrome's word is not the one that test runners know.
_SYNONYMS = {"image": "img"}


@frozen
class Held:
    """An element that the observer in a page keeps for us under a number; `elements` is the size of its page."""

    session: Session
    context_id: int
    handle: int
    elements: int


class Roles:
    """Role and name of held elements, where no other element has the same."""

    def __init__(self) -> None:
        self._known: BoundedDict[tuple[Session, int, int], dict[str, str] | None] = BoundedDict(limits.ROLES_KNOWN)
        self._painted: BoundedDict[tuple[Session, int, int], None] = BoundedDict(limits.ROLES_KNOWN)
        self._one_painted = trio.Event()
        # Documents of which Chrome keeps a tree for us, and pages that did not answer and are left alone until then.
        self._has_ax_tree: set[tuple[Session, int]] = set()
        self._resting: dict[Session, float] = {}
        self._asked_at = 0.0
        # Elements whose role could not be had: the page was too large, or did not answer.
        self.skipped = 0

    def ready(self, held: Held) -> None:
        """The page has painted, and can be asked about this element at no cost to what it shows."""
        self._painted[_key(held)] = None
        self._one_painted.set()
        self._one_painted = trio.Event()

    async def learn(self, held: Held) -> None:
        """Ask about an element that is going to be acted on: afterwards it may be another, or gone."""
        if not self._is_lit(held) and held.elements > limits.ROLE_ELEMENTS_AT_ONCE:
            # Chrome would still be at it when the button is released.
            return
        self._known[_key(held)] = await self._ask_in_time(held)

    async def take(self, held: Held) -> dict[str, str] | None:
        """{"role", "name"} of an element, or None where they are not to be had or not its own alone.

        What was learned serves one action: by the next one, another element may have the same name.
        """
        key = _key(held)
        if key in self._known:
            return self._known.pop(key)
        if self._may_ask(held) and not self._is_lit(held):
            # Chrome has its tree to build first, which would hold up the frame that shows what the action did.
            with trio.move_on_after(limits.ROLE_PAINT_SECONDS):
                while key not in self._painted:
                    await self._one_painted.wait()
            if held.elements > limits.ROLE_ELEMENTS_AT_ONCE:
                await trio.sleep(limits.ROLE_CALM_SECONDS)
        return await self._ask_in_time(held)

    def _is_lit(self, held: Held) -> bool:
        return (held.session, held.context_id) in self._has_ax_tree

    def _may_ask(self, held: Held) -> bool:
        resting = trio.current_time() < self._resting.get(held.session, 0.0)
        return held.elements <= limits.ROLE_ELEMENTS and not resting

    async def _ask_in_time(self, held: Held) -> dict[str, str] | None:
        self._painted.pop(_key(held), None)
        if not self._may_ask(held):
            self.skipped += 1
            return None
        with trio.move_on_after(limits.ROLE_SECONDS):
            try:
                return await self._ask(held)
            except (CdpError, CdpClosed):
                # The page has moved on, or the element is not one to ask about.
                return None
            finally:
                held.session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
                self._asked_at = trio.current_time()
        self.skipped += 1
        self._rest(held.session)
        return None

    def _rest(self, session: Session) -> None:
        now = trio.current_time()
        self._resting = {other: until for other, until in self._resting.items() if until > now}
        self._resting[session] = now + limits.ROLE_REST_SECONDS

    async def _ask(self, held: Held) -> dict[str, str] | None:
        element = await _call(held, "held_element", held.handle)
        if element is None:
            return None
        self._has_ax_tree.add((held.session, held.context_id))
        found = await _role_and_name(held.session, element)
        if found is None:
            return None
        role, name = found
        # Asked after the name: this also makes sure that the page has not changed the element meanwhile.
        rivals = await _call(held, "held_rivals", held.handle, role, name, limits.ROLE_RIVALS + 1)
        if rivals is None:
            return None
        others = await _items(held.session, rivals)
        if len(others) > limits.ROLE_RIVALS:
            return None
        for other in others:
            if await _role_and_name(held.session, other) == found:
                return None
        if safe_text(name, _NAME_CHARS) != name:
            # Cut or masked it would find nothing.
            return None
        return {"role": _SYNONYMS.get(role, role), "name": name}

    def built(self, session: Session) -> None:
        """Somebody else's question made Chrome build the tree of a page."""
        self._has_ax_tree.add((session, 0))
        self._asked_at = trio.current_time()

    def seconds_to_release(self) -> float:
        """How long until the trees can be given up; for ever if there is none."""
        if not self._has_ax_tree:
            return float("inf")
        return max(0.0, self._asked_at + limits.ROLE_RELEASE_SECONDS - trio.current_time())

    def release(self) -> None:
        """Let Chrome give up its trees: it does so only when the domain is switched off, having been on."""
        for session in {session for session, _ in self._has_ax_tree}:
            session.post("Accessibility.enable")
            session.post("Accessibility.disable")
        self._has_ax_tree.clear()


def _key(held: Held) -> tuple[Session, int, int]:
    return held.session, held.context_id, held.handle


async def _call(held: Held, script: str, *arguments: Any) -> str | None:
    """Call one of our page functions where the element is; the object that it returns, or None."""
    reply = await held.session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": page_script(script),
            "executionContextId": held.context_id,
            "arguments": [{"value": argument} for argument in arguments],
            "objectGroup": _GROUP,
            "silent": True,
        },
    )
    return (reply.get("result") or {}).get("objectId") if "exceptionDetails" not in reply else None


async def _items(session: Session, array: str) -> list[str]:
    reply = await session.send("Runtime.getProperties", {"objectId": array, "ownProperties": True})
    values = (item.get("value") or {} for item in reply.get("result") or [] if str(item.get("name")).isdecimal())
    return [str(value["objectId"]) for value in values if "objectId" in value]


async def _role_and_name(session: Session, element: str) -> tuple[str, str] | None:
    reply = await session.send("Accessibility.getPartialAXTree", {"objectId": element, "fetchRelatives": False})
    for node in reply.get("nodes") or []:
        role, name = node.get("role") or {}, (node.get("name") or {}).get("value")
        # Other types of role are words of Chrome's own ("LabelText"), which no test runner knows.
        if node.get("ignored") or role.get("type") != "role" or role.get("value") in _MEANINGLESS or not name:
            return None
        return str(role.get("value")), str(name)
    return None
