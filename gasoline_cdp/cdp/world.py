"""Runs our functions in a page, in an isolated world that the page can neither see nor change."""

from typing import Any

from attrs import frozen

from gasoline_cdp.cdp.call_cancellation import Running
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session

WORLD = "gasoline"
# The binding through which code in our world reports. No other world has it.
REPORT = "gasolineReport"
# The world's own policy, which allows what we do. It replaces the page's policy (Trusted Types included).
_OWN_POLICY = "object-src 'none'"


class PageFault(Exception):  # noqa: N818 - the page's fault
    """Our function threw an error in the page."""


@frozen
class Handle:
    """A page's object that Chrome holds for us."""

    object_id: str


@frozen
class World:
    """Our world in one frame, as long as its document lives."""

    session: Session
    frame_id: str
    context_id: int

    async def call(self, function: str, *arguments: Any) -> Any:
        """Call a JavaScript function expression with JSON arguments (or handles); return its JSON result.

        Arguments are passed as data, never as program text. Raises `CdpClosed` if the page navigates meanwhile. If
        cancelled, the function is stopped in the page, too.
        """
        return (await self._run(function, arguments, {"returnByValue": True})).get("value")

    async def call_for_handle(self, function: str, *arguments: Any, group: str) -> Handle | None:
        """Call it, and return a handle to the object that it returns, or None. The caller releases the group."""
        result = await self._run(function, arguments, {"objectGroup": group})
        return Handle(str(result["objectId"])) if result.get("objectId") else None

    async def items(self, array: Handle) -> list[Handle]:
        """The objects in an array."""
        reply = await self.session.send("Runtime.getProperties", {"objectId": array.object_id, "ownProperties": True})
        items = [
            (int(item["name"]), item.get("value") or {})
            for item in reply.get("result") or []
            if str(item.get("name")).isdecimal()
        ]
        return [Handle(str(value["objectId"])) for _, value in sorted(items, key=lambda i: i[0]) if "objectId" in value]

    async def load(self, program: str) -> None:
        """Run a program (a library) in this world."""
        reply = await self._send(
            "Runtime.evaluate", {"expression": f"{program}\n;0", "contextId": self.context_id, "silent": True}
        )
        _raise_fault(reply)

    async def _run(self, function: str, arguments: tuple[Any, ...], more: Params) -> Params:
        running = Running(self.session, self.context_id)
        call: Params = {
            "functionDeclaration": running.wrap(function),
            "executionContextId": self.context_id,
            "arguments": [
                {"objectId": argument.object_id} if isinstance(argument, Handle) else {"value": argument}
                for argument in (running.token, *arguments)
            ],
            "awaitPromise": True,
            **more,
        }
        with running:
            reply = await self._send("Runtime.callFunctionOn", call)
        _raise_fault(reply)
        result: Params = reply.get("result") or {}
        return result

    async def _send(self, method: str, params: Params) -> Params:
        try:
            return await self.session.send(method, params)
        except CdpError as error:
            if "context" in error.message.lower():
                raise CdpClosed("the page navigated", error.method) from error
            raise


def _raise_fault(reply: Params) -> None:
    if "exceptionDetails" in reply:
        details = reply["exceptionDetails"]
        raise PageFault(str((details.get("exception") or {}).get("description") or details.get("text")))


async def open_world(session: Session, frame_id: str = "", *, name: str = WORLD, own_policy: bool = False) -> World:
    """Our world of that name in a frame (default: the session's main frame). It is the same one until it navigates."""
    params: Params = {"frameId": frame_id or session.target_id, "worldName": name}
    if own_policy:
        params["contentSecurityPolicy"] = _OWN_POLICY
    try:
        reply = await session.send("Page.createIsolatedWorld", params)
    except CdpError:
        if frame_id:
            raise
        # A prerendered page has a main frame with another id.
        tree = await session.send("Page.getFrameTree")
        params["frameId"] = tree["frameTree"]["frame"]["id"]
        reply = await session.send("Page.createIsolatedWorld", params)
    return World(session, str(params["frameId"]), int(reply["executionContextId"]))


async def call_in_world(session: Session, function: str, *arguments: Any) -> Any:
    """Call a function in our world of the main frame; see `World.call`."""
    return await (await open_world(session)).call(function, *arguments)


async def frame_inside(world: World, owner: Handle, root: Session) -> tuple[Session, str] | None:
    """The session and id of the frame in a frame element. `root` is the session of the tab."""
    reply = await world.session.send("DOM.describeNode", {"objectId": owner.object_id})
    frame_id = (reply.get("node") or {}).get("frameId")
    return (root.find(frame_id) or world.session, frame_id) if frame_id else None
