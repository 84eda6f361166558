"""Takes heap snapshots of pages and workers of a Chromium, straight over the protocol."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from gasoline_cdp.cdp.connection import Session, open_connection
from gasoline_cdp.cdp.websocket import open_websocket


@asynccontextmanager
async def open_page(chromium: str, url: str) -> AsyncIterator[tuple[Session, Session | None]]:
    """A page, once its promise `ready` is kept; and its worker, if it has one."""
    async with open_websocket(chromium) as transport, open_connection(transport) as connection:
        root = connection.root
        context = (await root.send("Target.createBrowserContext"))["browserContextId"]
        target = {"url": "about:blank", "browserContextId": context}
        page = (await root.send("Target.createTarget", target))["targetId"]
        attached = await root.send("Target.attachToTarget", {"targetId": page, "flatten": True})
        session = connection.open_session(attached["sessionId"], root)
        workers: list[Session] = []
        session.on(
            "Target.attachedToTarget",
            lambda params: workers.append(connection.open_session(params["sessionId"], session)),
        )
        await session.send(
            "Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}
        )
        loaded = trio.Event()
        session.on("Page.loadEventFired", lambda _: loaded.set())
        await session.send("Page.enable")
        await session.send("Page.navigate", {"url": url})
        await loaded.wait()
        done = await session.send("Runtime.evaluate", {"expression": "ready", "awaitPromise": True})
        assert "exceptionDetails" not in done, done
        yield session, workers[0] if workers else None
        await root.send("Target.disposeBrowserContext", {"browserContextId": context})


async def take_snapshots(session: Session, files: Sequence[Path], between: str = "0") -> None:
    """One snapshot after the other, with an expression evaluated in between."""
    pieces: list[str] = []
    session.on("HeapProfiler.addHeapSnapshotChunk", lambda params: pieces.append(params["chunk"]))
    await session.send("HeapProfiler.enable")
    for file in files:
        await session.send("HeapProfiler.collectGarbage")
        pieces.clear()
        await session.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
        file.write_text("".join(pieces), encoding="utf-8")
        await session.send("Runtime.evaluate", {"expression": between})
