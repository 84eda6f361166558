"""With everything full and a page that is too large, every answer keeps its size: small by default, bounded at most."""

import json
import time
from typing import Any

import pytest

from gasoline_cdp import limits, wire
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import ActionRecord, DomSnapshotRecord, SocketRecord
from gasoline_cdp.tools.registry import TOOLS
from tests.fakes import body_record, log_record, network_record, performance_record
from tests.support import Watch
from tests.surface import widest_calls

_LARGE_PAGE = """
    document.title = 'long '.repeat(500);
    document.body.innerHTML = Array.from({length: 100}, (_, n) =>
        `<section class="${'c'.repeat(300)}" data-long="${'d'.repeat(900)}"><h2 id="h${n}">${'head '.repeat(90)}</h2>`
        + `<img src="data:,${n}"><a href="/x?${'q'.repeat(900)}"></a><input name="f${n}${'n'.repeat(200)}">`
        + `<p style="color:#eee;background:#fff">${'text '.repeat(100)}</p></section>`).join('');
    for (let n = 0; n < 200; n++) localStorage.setItem(`key-${n}-` + 'k'.repeat(200), 'v'.repeat(500));
"""


def _fill(watch: Watch) -> None:
    """Rings to their limit, every record as large as one gets."""
    telemetry, source, now = watch.telemetry, watch.tab.source, time.time()
    text, headers = "said " * 790, {f"x-header-{number}": "h" * 900 for number in range(60)}
    for number in range(limits.LOG_ENTRIES):
        given: dict[str, Any] = {"ts": now, "source": source}
        seq = telemetry.next_seq
        address = f"http://app.test/api/{number}/{'long/' * 100}?{'q=1&' * 200}"
        telemetry.add(log_record(seq(), f"{number} {text}", **given))
        failed: dict[str, Any] = {
            "outcome": "http_error",
            "status": 500,
            "request_headers": headers,
            "response_headers": headers,
        }
        telemetry.add(network_record(seq(), address, **given, **failed))
        body = "b" * limits.REQUEST_BODY_BYTES
        telemetry.add(body_record(seq(), url=address, request_body=body, response_body=2 * body, **given))
        socket: dict[str, Any] = {
            "connection_id": f"c{number}",
            "url": address,
            "event": "message",
            "direction": "incoming",
        }
        telemetry.add(SocketRecord(seq=seq(), data="m" * limits.SOCKET_MESSAGE_BYTES, **socket, **given))
        shown = {"role": "heading", "text": "t" * 100, "selector": "h2"}
        telemetry.add(
            ActionRecord(seq=seq(), type="click", selectors={"css": "s" * 500}, fields={"text": "t" * 100}, **given)
        )
        telemetry.add(DomSnapshotRecord(seq=seq(), trigger="load", elements=(shown,) * 5, **given))
        telemetry.add(performance_record(seq(), f"/path/{number}/{'p' * 300}", **given))


def _plain_calls(name: str) -> list[dict[str, Any]]:
    """The same questions with nothing that makes an answer larger."""
    kept = {"what", "action", "scope", "format", "selector", "script"}
    named = {"name", "snapshot_name", "compare_a"}
    return [
        {key: value for key, value in call.items() if key in kept | named}
        for call in widest_calls(name)
        if "output" not in call
    ]


@pytest.mark.requirement("F1-TOOLS")
@pytest.mark.long
async def test_every_answer_keeps_its_size(watch: Watch, site: str) -> None:
    await watch.open(f"{site}page/blank")
    watch.context.pilot.switch(on=True, by="start")
    await watch.evaluate(_LARGE_PAGE)
    _fill(watch)
    too_large: dict[str, int] = {}
    session: dict[str, str] = {}
    for name in TOOLS:
        for calls, most in ((_plain_calls(name), limits.ANSWER_BYTES), (widest_calls(name), limits.ANSWER_BYTES_MAX)):
            for call in calls:
                arguments = {**call, **session} if name == "verify_fix" and call["action"] != "start" else call
                answer = await call_tool(TOOLS, watch.context, name, arguments)
                if "session_id" in answer.data:
                    session = {"session_id": answer.data["session_id"]}
                data = wire.encode(answer.data)
                assert json.loads(data) == answer.data
                # A document cannot be cut: it is given whole, or refused.
                if len(data) > (limits.ANSWER_BYTES_MAX if answer.data.get("document") else most):
                    too_large[f"{name} {call}"] = len(data)
    assert too_large == {}
