"""What `Capture` makes of events, whatever they tell of."""

from collections.abc import Iterator
from typing import Any

import trio

from gasoline_cdp.capture.page import Capture
from gasoline_cdp.cdp.connection import open_connection
from gasoline_cdp.cdp.targets import Targets
from gasoline_cdp.records import Source
from gasoline_cdp.store.telemetry import Telemetry
from tests.fakes import FakeTransport, settled


def _said(text: str, context: int) -> dict[str, Any]:
    argument = {"type": "string", "value": text}
    return {"type": "error", "args": [argument], "executionContextId": context, "timestamp": 1000.0}


def _sources(telemetry: Telemetry) -> Iterator[Source]:
    for record in (*telemetry.logs.newest(), *telemetry.network.newest()):
        yield record.source


async def test_every_source_names_its_browser_by_one_shared_string() -> None:
    telemetry, chrome = Telemetry(), FakeTransport()
    capture = Capture(telemetry, "off")
    # No literal: equal ones would be one string anyhow.
    name = f"b{len('12')}"

    async with open_connection(chrome, browser_id=name, strict=True) as connection, trio.open_nursery() as nursery:
        targets = Targets(connection, adopt=capture.adopt, changed=capture.changed, gone=capture.gone)
        nursery.start_soon(targets.start)
        for method in ("Target.setDiscoverTargets", "Target.setAutoAttach"):
            await settled()
            chrome.answer(chrome.last(method))
        kinds = [("page", ""), ("iframe", "page"), ("worker", "page"), ("service_worker", "")]
        for kind, parent in kinds:
            info = {"targetId": f"T-{kind}", "type": kind, "title": "", "url": f"http://app.test/{kind}"}
            params = {"sessionId": kind, "targetInfo": info, "waitingForDebugger": True}
            chrome.event("Target.attachedToTarget", params, session=parent)
        frames = [
            {"id": "T-page", "url": "http://app.test/"},
            {"id": "F", "parentId": "T-page", "url": "http://f.test/"},
        ]
        for frame in frames:
            chrome.event("Page.frameNavigated", {"frame": {"loaderId": "L", **frame}}, session="page")
        context = {"id": 9, "auxData": {"frameId": "F"}}
        chrome.event("Runtime.executionContextCreated", {"context": context}, session="page")
        for kind, _ in kinds:
            chrome.event("Runtime.consoleAPICalled", _said(f"of a {kind}", 1), session=kind)
        chrome.event("Runtime.consoleAPICalled", _said("of a frame", 9), session="page")
        chrome.event("Target.targetCrashed", {"targetId": "T-page"})
        await settled()
        nursery.cancel_scope.cancel()
    sources = list(_sources(telemetry))
    assert {source.kind for source in sources} == {"page", "iframe", "worker", "service_worker"}
    assert "http://f.test/" in {source.url for source in sources}
    assert all(source.browser_id is name for source in sources)
