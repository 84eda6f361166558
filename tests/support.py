"""What tests of the real thing share: a watched tab, and waiting for conditions instead of for time."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import trio

from gasoline_cdp.cdp.connection import CdpClosed, CdpError
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.config import Config
from gasoline_cdp.daemon import Daemon, open_daemon
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import LogRecord, NetworkRecord, Record
from gasoline_cdp.tools.registry import TOOLS

# Long enough for a busy machine; no test depends on it being short.
PATIENCE = 60.0
# Keeps the thread of a page of the test site from answering, without using the processor that other tests need.
HANG = "const request = new XMLHttpRequest(); request.open('GET', '/never', false); request.send()"


class Watch:
    """A daemon on a browser, and one tab of it to play with."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.context = daemon.context
        self.telemetry = daemon.context.telemetry
        # Tabs of others: a test that attaches beside another daemon leaves them alone.
        self.there_before = {tab.target_id for tab in daemon.context.tabs.open() if not tab.seen_from_start}

    @property
    def tab(self) -> Tab:
        return self.daemon.context.tabs.pick(None)

    async def go(self, url: str) -> None:
        await self.tab.session.send("Page.navigate", {"url": url})

    async def open(self, url: str, tab: Tab | None = None) -> None:
        """Go there, and wait until the page has loaded. In the tab used last, unless another one is named."""
        tab = tab or self.tab
        navigation = tab.source.navigation
        await tab.session.send("Page.navigate", {"url": url})
        await self.until(lambda: tab.source.navigation > navigation)
        # Chrome never says that a page has loaded if it is left while its load event is being handled.
        await self.evaluate(
            "document.readyState === 'complete' || new Promise((r) => addEventListener('load', () => setTimeout(r)))",
            tab,
        )

    async def evaluate(self, script: str, tab: Tab | None = None) -> Any:
        reply = await (tab or self.tab).session.send(
            "Runtime.evaluate", {"expression": script, "awaitPromise": True, "returnByValue": True}
        )
        assert "exceptionDetails" not in reply, reply
        return reply["result"].get("value")

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool as an assistant does: what is pending is fetched when it is done."""
        answer = await call_tool(TOOLS, self.context, tool, arguments)
        while answer.data.get("status") == "pending":
            fetch = {"what": "analyze_result", "correlation_id": answer.data["correlation_id"]}
            answer = await call_tool(TOOLS, self.context, "observe", fetch)
        assert not answer.is_error, answer.data
        return answer.data

    async def error(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await call_tool(TOOLS, self.context, tool, arguments)
        assert answer.is_error, answer.data
        return answer.data

    async def until(self, condition: Callable[[], Any]) -> Any:
        """Wait until a condition holds; it is looked at again whenever a record comes."""
        changed = trio.Event()

        def hear(_: Record) -> None:
            changed.set()

        with self.telemetry.listening(hear), trio.fail_after(PATIENCE):
            while not (result := condition()):
                await changed.wait()
                changed = trio.Event()
            return result

    async def log(self, text: str) -> LogRecord:
        """Wait for a log record that contains the text."""
        record = await self.until(lambda: next((r for r in self.telemetry.logs.newest() if text in r.text), None))
        assert isinstance(record, LogRecord)
        return record

    async def request(self, part: str) -> NetworkRecord:
        """Wait for a finished request whose URL contains the text."""
        record = await self.until(lambda: next((r for r in self.telemetry.network.newest() if part in r.url), None))
        assert isinstance(record, NetworkRecord)
        return record

    async def close(self, tab: Tab) -> None:
        """Close a tab, and wait until it is gone."""
        assert self.daemon.root is not None
        # Another client may have closed it a moment ago.
        with suppress(CdpClosed, CdpError):
            await self.daemon.root.send("Target.closeTarget", {"targetId": tab.target_id})
        await self.until(lambda: tab.state == "closed")

    async def close_tabs(self) -> None:
        """Close every tab that was not open before this daemon came, and end the workers that outlive their pages."""
        for tab in [tab for tab in self.daemon.context.tabs.open() if tab.target_id not in self.there_before]:
            await self.close(tab)
        await self.close_workers()

    async def close_workers(self) -> None:
        """End the workers that outlive their pages: what they logged would be replayed to the next test."""
        assert self.daemon.root is not None
        for target in (await self.daemon.root.send("Target.getTargets"))["targetInfos"]:
            if target["type"] in {"service_worker", "shared_worker"}:
                with suppress(CdpClosed, CdpError):
                    await self.daemon.root.send("Target.closeTarget", {"targetId": target["targetId"]})

    async def bodies_read(self) -> None:
        """Wait until no body is on its way any more."""
        with trio.fail_after(PATIENCE):
            await self.daemon.capture.bodies.backlog.wait_idle()

    async def actions_told(self) -> None:
        """Wait until every action reported so far is a record, and its element is named."""
        # What the page has reported by now comes before this reply.
        await self.tab.session.send("Runtime.evaluate", {"expression": "1"})
        await self.daemon.capture.actions.backlog.wait_idle()


@asynccontextmanager
async def open_watch(config: Config) -> AsyncIterator[Watch]:
    """A daemon of this test's own, ready."""
    messages: list[str] = []
    async with open_daemon(config, messages.append) as daemon:
        with trio.fail_after(PATIENCE):
            await daemon.ready.wait()
        if daemon.failed is not None:
            raise daemon.failed
        yield Watch(daemon)
