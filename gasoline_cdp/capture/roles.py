"""Asks the browser for the role and name of an element that was acted on: computed by Chrome, not guessed.

The answer needs Chrome's accessibility tree, which it builds for the whole page and then keeps up to date. To spare the
page this cost, we do not ask large pages, and release the tree when there are no more actions.
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
# Chrome's role → the one that test runners know.
_SYNONYMS = {"image": "img"}


@frozen
class Held:
    """An element that the observer in a page holds for us under a number. `elements` is the size of its page."""

    session: Session
    context_id: int
    handle: int
    elements: int


@frozen
class Role:
    """Role and name of an element. `shared`: other elements have the same."""

    role: str
    name: str
    shared: bool = False


class Roles:
    """Role and name of held elements."""

    def __init__(self) -> None:
        self._known: BoundedDict[tuple[Session, int, int], Role | None] = BoundedDict(limits.ROLES_KNOWN)
        self._painted: BoundedDict[tuple[Session, int, int], None] = BoundedDict(limits.ROLES_KNOWN)
        self._one_painted = trio.Event()
        # Documents for which Chrome keeps a tree for us, and sessions that did not answer, with the time until which we
        # leave them alone.
        self._has_ax_tree: set[tuple[Session, int]] = set()
        self._left_alone: dict[Session, float] = {}
        self._asked_at = 0.0
        # Elements without a role: the page was too large, or did not answer.
        self.skipped = 0

    def ready(self, held: Held) -> None:
        """The page has painted, so asking about this element no longer delays what it shows."""
        self._painted[_key(held)] = None
        self._one_painted.set()
        self._one_painted = trio.Event()

    async def learn(self, held: Held) -> None:
        """Ask about an element before it is acted on: afterwards it may be different or gone."""
        if not self._is_tree_built(held) and held.elements > limits.ROLE_ELEMENTS_AT_ONCE:
            # Chrome would still be busy when the button is released.
            return
        self._known[_key(held)] = await self._ask_in_time(held)

    async def take(self, held: Held) -> Role | None:
        """Role and name of an element. None if unavailable.

        The result serves one action: by the next one, another element may have the same name.
        """
        key = _key(held)
        if key in self._known:
            return self._known.pop(key)
        if self._may_ask(held) and not self._is_tree_built(held):
            # Chrome builds its tree first, which would delay the frame that shows the action's effect.
            with trio.move_on_after(limits.ROLE_PAINT_SECONDS):
                while key not in self._painted:
                    await self._one_painted.wait()
            if held.elements > limits.ROLE_ELEMENTS_AT_ONCE:
                await trio.sleep(limits.ROLE_CALM_SECONDS)
        return await self._ask_in_time(held)

    def _is_tree_built(self, held: Held) -> bool:
        return (held.session, held.context_id) in self._has_ax_tree

    def _may_ask(self, held: Held) -> bool:
        left_alone = trio.current_time() < self._left_alone.get(held.session, 0.0)
        return held.elements <= limits.ROLE_ELEMENTS and not left_alone

    async def _ask_in_time(self, held: Held) -> Role | None:
        self._painted.pop(_key(held), None)
        if not self._may_ask(held):
            self.skipped += 1
            return None
        with trio.move_on_after(limits.ROLE_SECONDS):
            try:
                return await self._ask(held)
            except (CdpError, CdpClosed):
                # The page has navigated, or the element has no accessibility node.
                return None
            finally:
                held.session.post("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
                self._asked_at = trio.current_time()
        self.skipped += 1
        self._leave_alone(held.session)
        return None

    def _leave_alone(self, session: Session) -> None:
        now = trio.current_time()
        self._left_alone = {other: until for other, until in self._left_alone.items() if until > now}
        self._left_alone[session] = now + limits.ROLE_REST_SECONDS

    async def _ask(self, held: Held) -> Role | None:
        element = await _call(held, "held_element", held.handle)
        if element is None:
            return None
        self._has_ax_tree.add((held.session, held.context_id))
        named = await _role_and_name(held.session, element)
        if named is None:
            return None
        role, name = named
        # Ask after the name: this also shows whether the page changed the element meanwhile.
        rivals = await _call(held, "held_rivals", held.handle, role, name, limits.ROLE_RIVALS + 1)
        if rivals is None:
            return None
        others, written = await _rivals(held.session, rivals)
        if safe_text(written, _NAME_CHARS) != written:
            # A cut or masked name would match nothing.
            return None
        # Too many to ask about each.
        shared = len(others) > limits.ROLE_RIVALS
        for other in () if shared else others:
            if _is_called(await _role_and_name(held.session, other), role, name):
                shared = True
                break
        if not shared and others and await _call(held, "held_element", held.handle) is None:
            # The page was drawn anew meanwhile: a rival that is gone has no name, and would not count.
            return None
        return Role(_SYNONYMS.get(role, role), written, shared)

    def built(self, session: Session) -> None:
        """Another query made Chrome build the tree of a page."""
        self._has_ax_tree.add((session, 0))
        self._asked_at = trio.current_time()

    def seconds_to_release(self) -> float:
        """Seconds until the trees can be released; infinite if there is none."""
        if not self._has_ax_tree:
            return float("inf")
        return max(0.0, self._asked_at + limits.ROLE_RELEASE_SECONDS - trio.current_time())

    def release(self) -> None:
        """Let Chrome release its trees. It does so only when the domain is disabled after having been enabled."""
        for session in {session for session, _ in self._has_ax_tree}:
            session.post("Accessibility.enable")
            session.post("Accessibility.disable")
        self._has_ax_tree.clear()


def _key(held: Held) -> tuple[Session, int, int]:
    return held.session, held.context_id, held.handle


async def _call(held: Held, script: str, *arguments: Any) -> str | None:
    """Call one of our page functions where the element is. Returns an object's id, or None."""
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


async def _rivals(session: Session, array: str) -> tuple[list[str], str]:
    """The objects of an array, and the name that was written on it."""
    reply = await session.send("Runtime.getProperties", {"objectId": array, "ownProperties": True})
    values = {str(item.get("name")): item.get("value") or {} for item in reply.get("result") or []}
    objects = [str(value["objectId"]) for name, value in values.items() if name.isdecimal() and "objectId" in value]
    # Test runners compare names with single spaces.
    return objects, " ".join(str(values.get("written", {}).get("value", "")).split())


def _is_called(other: tuple[str, str] | None, role: str, name: str) -> bool:
    """Whether another element has this role and name. Capitals may come from a style sheet."""
    return other is not None and (other[0], other[1].casefold()) == (role, name.casefold())


async def _role_and_name(session: Session, element: str) -> tuple[str, str] | None:
    reply = await session.send("Accessibility.getPartialAXTree", {"objectId": element, "fetchRelatives": False})
    for node in reply.get("nodes") or []:
        role, name = node.get("role") or {}, (node.get("name") or {}).get("value")
        # Roles of other types are internal to Chrome ("LabelText"). No test runner knows them.
        if node.get("ignored") or role.get("type") != "role" or role.get("value") in _MEANINGLESS or not name:
            return None
        return str(role.get("value")), str(name)
    return None
