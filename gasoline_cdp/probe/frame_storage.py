"""Storage of frames that is separate from their page's: reads it in place, and writes it back.

Browsers partition a frame's storage by its origin and by the embedding site. Chrome calls the combination a storage
key. Frames with the page's own key share its storage, and are skipped.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Self

import trio
from attrs import define, field, frozen

from gasoline_cdp import limits, pilot_limits
from gasoline_cdp.assets import page_script
from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.cdp.world import PageFault, World, frame_inside, open_world
from gasoline_cdp.redact import safe_text
from gasoline_cdp.store.states import FrameStorage

# Not the observers' world: this one has its own policy, so that the page's cannot forbid our frames.
_WORLD = "gasoline-state"
_GROUP = "gasoline-state"
# An empty document that any page may embed.
_EMPTY: Params = {
    "responseCode": 200,
    "responseHeaders": [
        {"name": "Content-Type", "value": "text/html"},
        {"name": "Cross-Origin-Embedder-Policy", "value": "require-corp"},
        {"name": "Cross-Origin-Resource-Policy", "value": "cross-origin"},
    ],
    "body": "",
}
_SILENT = (CdpError, CdpClosed, PageFault)


@define
class FramesRead:
    """The storage of all frames, each key once; the names of their databases; and how many did not answer."""

    storages: dict[str, FrameStorage] = field(factory=dict)
    databases: list[str] = field(factory=list)
    silent: int = 0


@frozen
class Missed:
    """A frame's storage that could not be restored, and why, in our own words."""

    storage: FrameStorage
    reason: str


async def read_frames(tab: Tab) -> FramesRead:
    """The storage of a page's frames. Frames that do not answer, or vanish, are left out."""
    read = FramesRead()
    own = await _key(tab.session, (await main_frame(tab.session))["id"])
    with trio.move_on_after(pilot_limits.STATE_FRAMES_SECONDS):
        for session in _sessions(tab.session):
            try:
                with trio.fail_after(limits.FRAME_SECONDS):
                    for frame_id in await _frame_ids(session):
                        key = await _key(session, frame_id)
                        if key != own and key not in read.storages:
                            await _read(session, frame_id, key, read)
            except (trio.TooSlowError, *_SILENT):
                read.silent += not session.closed_reason
    return read


async def _read(session: Session, frame_id: str, key: str, read: FramesRead) -> None:
    world = await open_world(session, frame_id)
    stored: dict[str, Any] = await world.call(page_script("read_storage"), pilot_limits.STATE_DATABASES)
    if not stored.get("origin"):
        return
    read.databases += [f"{name} ({stored['origin']})" for name in stored["databases"]]
    read.storages[key] = FrameStorage(
        key=key,
        origin=str(stored["origin"]),
        storage=str(stored["text"]),
        local_items=int(stored["local"]),
        session_items=int(stored["session"]),
    )


async def write_into_frames(tab: Tab, wanted: Sequence[FrameStorage]) -> list[Missed]:
    """Restore storage in the frames that a page has now. Returns what failed."""
    left = {storage.key: storage for storage in wanted}
    missed: list[Missed] = []
    with trio.move_on_after(pilot_limits.STATE_FRAMES_SECONDS):
        for session in _sessions(tab.session) if left else ():
            try:
                with trio.fail_after(limits.FRAME_SECONDS):
                    for frame_id in await _frame_ids(session):
                        if storage := left.get(await _key(session, frame_id)):
                            missed += await _write(await open_world(session, frame_id), storage)
                            del left[storage.key]
            except (trio.TooSlowError, *_SILENT):
                continue
    return [*missed, *(Missed(storage, "no such frame answers in the page") for storage in left.values())]


class EmptyFrames:
    """While active, every frame of a page loads an empty document at its address, without asking a server.

    So no code in a frame writes into a state that is being restored, and we can create a frame of any origin.
    """

    def __init__(self, tab: Tab, main_frame_id: str) -> None:
        self._tab = tab
        self._main = main_frame_id
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self._empty(self._tab.session, self._main)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _empty(self, session: Session, main: str) -> None:
        """Answer requests of the frames inside this one. Its own document is requested as usual."""

        def of_frame(params: Params) -> bool:
            return params.get("type", "Document") == "Document" and params.get("frameId") not in {main, None}

        def paused(params: Params) -> None:
            request: Params = {"requestId": params.get("requestId")}
            if of_frame(params):
                session.post("Fetch.fulfillRequest", {**request, **_EMPTY})
            else:
                session.post("Fetch.continueRequest", request)

        def end() -> None:
            session.unrecorded = None
            session.post("Fetch.disable")

        self._stack.enter_context(session.listening("Fetch.requestPaused", paused))
        self._stack.callback(end)
        session.unrecorded = of_frame
        session.post("Fetch.enable", {"patterns": [{"urlPattern": "*", "resourceType": "Document"}]})

    async def write(self, wanted: Sequence[FrameStorage]) -> list[Missed]:
        """Restore storage through frames that we create, in a page that is reloaded afterwards."""
        left = {storage.key: storage for storage in wanted}
        missed: list[Missed] = []
        with trio.move_on_after(pilot_limits.STATE_FRAMES_SECONDS):
            outers = [await open_world(self._tab.session, name=_WORLD, own_policy=True)] if left else []
            # First in the page, then in the created frames, for frames nested two levels deep.
            for _ in range(2):
                made: list[World] = []
                for storage in [*left.values()]:
                    if (inner := await self._make(outers, storage)) is not None:
                        made.append(inner)
                        missed += await _write(inner, storage)
                        del left[storage.key]
                outers = made
        return [*missed, *(Missed(storage, "no such frame can be made now") for storage in left.values())]

    async def _make(self, outers: Sequence[World], storage: FrameStorage) -> World | None:
        """A frame with this storage key; None if it cannot be created."""
        for outer in outers:
            if outer.session.unrecorded is None:
                self._empty(outer.session, outer.frame_id)
            try:
                owner = await outer.call_for_handle(page_script("make_frame"), f"{storage.origin}/", group=_GROUP)
                inside = await frame_inside(outer, owner, self._tab.session) if owner else None
                if inside is not None and await _key(*inside) == storage.key:
                    return await open_world(*inside, name=_WORLD, own_policy=True)
            except _SILENT:
                continue
        return None


async def main_frame(session: Session) -> Params:
    """Chrome's description of a session's document."""
    frame: Params = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]
    return frame


def _sessions(session: Session) -> list[Session]:
    """The sessions of a page and of its frames in processes of their own."""
    return [session, *(inner for child in session.children.values() for inner in _sessions(child))]


async def _frame_ids(session: Session) -> list[str]:
    tree = (await session.send("Page.getFrameTree"))["frameTree"]
    return [*_below(tree)][: limits.DOM_FRAMES]


def _below(tree: Params) -> Iterator[str]:
    yield str(tree["frame"]["id"])
    for child in tree.get("childFrames") or ():
        yield from _below(child)


async def _key(session: Session, frame_id: str) -> str:
    return str((await session.send("Storage.getStorageKey", {"frameId": frame_id}))["storageKey"])


async def put_storage(world: World, storage: str, local_items: int, session_items: int) -> str | None:
    """Replace a document's whole storage. On failure it stays as it was, and the reason is returned in our words."""
    written: dict[str, Any] = await world.call(page_script("write_storage"), storage)
    if "problem" in written:
        return f"the browser does not store it ({safe_text(written['problem'], 60)})"
    if (written["local"], written["session"]) != (local_items, session_items):
        return "the storage was changed meanwhile"
    return None


async def _write(world: World, storage: FrameStorage) -> list[Missed]:
    try:
        reason = await put_storage(world, storage.storage, storage.local_items, storage.session_items)
    except PageFault:
        reason = "storage is switched off there"
    return [Missed(storage, reason)] if reason else []
