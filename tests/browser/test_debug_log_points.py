"""Log points and those that come between them: new tabs and workers, other log points, pauses of other users."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio
from attrs import evolve
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gasoline_cdp import debug_limits
from gasoline_cdp.frontends.http.loopback import serve_app
from gasoline_cdp.operations.running import call_tool
from gasoline_cdp.records import LogRecord
from gasoline_cdp.tools.registry import TOOLS
from tests.support import Watch

SHARED = """const rate = 3;
const price = rate * 14;
globalThis.quote = (count) => {
  const sum = count * price;
  return sum;
};
"""
PAGE = '<!doctype html><link rel="icon" href="data:,"><script src="/shared.js"></script>'


@pytest.fixture
async def url(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """A page whose script is a worker's, too. A busy machine needs longer than a page may stand still."""
    monkeypatch.setattr(debug_limits, "CATCH_SECONDS", 30.0)
    monkeypatch.setattr(debug_limits, "LOG_POINT_BIND_SECONDS", 30.0)
    monkeypatch.setattr(debug_limits, "LOG_POINT_START_SECONDS", 30.0)

    async def page(_: Request) -> Response:
        return HTMLResponse(PAGE)

    async def script(_: Request) -> Response:
        return Response(SHARED, media_type="text/javascript")

    watch.context.pilot.switch(on=True, by="person")
    async with serve_app(Starlette(routes=[Route("/", page), Route("/shared.js", script)])) as address:
        await watch.open(address)
        yield address
    watch.context.pilot.switch(on=False, by="person")


def hits(watch: Watch, text: str = "") -> list[LogRecord]:
    return [record for record in watch.telemetry.logs.newest() if record.kind == "logpoint" and text in record.text]


async def log(watch: Watch, at: str, expression: str, **more: Any) -> dict[str, Any]:
    """Set a log point; what the answer says of it."""
    points: list[dict[str, Any]] = (await watch.call("debug", action="log", at=at, expression=expression, **more))[
        "log_points"
    ]
    assert points[-1]["bound"] == 1
    return points[-1]


async def test_new_tabs_and_workers_begin_with_their_log_points(watch: Watch, url: str) -> None:
    """The line is among the first that they run. Commands about breakpoints overtake the one before them."""
    first = watch.tab
    await log(watch, "shared.js:2", "rate", limit=1000)

    async def until(count: int) -> None:
        await watch.until(lambda: len(hits(watch)) == count)

    for number in range(1, 7):
        opened = {"expression": f"globalThis.other = open('/?popup={number}'); 0", "userGesture": True}
        await first.session.send("Runtime.evaluate", opened)
        await until(number)
    assert url
    await watch.evaluate("for (let n = 0; n < 4; n++) new Worker('/shared.js'); 0", first)
    await until(10)
    assert {record.text for record in hits(watch)} == {"rate = 3"}
    assert sum(record.source.kind == "worker" for record in hits(watch)) == 4


async def test_a_newer_log_point_takes_the_line(watch: Watch, url: str) -> None:
    await log(watch, "shared.js:4", "count")
    answer = await watch.call("debug", action="log", at="shared.js:4", expression="price")
    assert [point["expression"] for point in answer["log_points"]] == ["price"]
    listed = (await watch.call("debug", action="list"))["log_points"]
    assert [point.get("over") for point in listed] == ["a newer one has its line", None]
    await watch.evaluate("setTimeout(() => quote(2))")
    await watch.log("price = 42")
    # By its whole address it is the same place.
    [path] = [f"{url}shared.js".partition("://")[2].partition("/")[2]]
    await log(watch, f"/{path}:4", "sum, count")
    await watch.evaluate("setTimeout(() => quote(3))")
    await watch.log("count = 3")
    assert len(hits(watch)) == 2
    # What was switched off is told once.
    assert len((await watch.call("debug", action="off"))["log_points"]) == 3
    assert "log_points" not in await watch.call("debug", action="list")


async def test_parts_that_cannot_be_read_do_not_hide_the_others(watch: Watch, url: str) -> None:
    assert url
    await log(watch, "shared.js:4", "count, nothing.there, price, sum, (rate.seen = 5)")
    await watch.evaluate("setTimeout(() => quote(2))")
    record = await watch.log("count = 2")
    assert "nothing.there threw ReferenceError: nothing is not defined" in record.text
    assert "price = 42" in record.text
    # `sum` has no value yet.
    assert "sum threw ReferenceError" in record.text or "sum = undefined" in record.text


async def test_a_hit_that_could_not_be_read_is_a_hit(watch: Watch, url: str) -> None:
    """Somebody else lets the page go on before it was read."""
    assert url
    await log(watch, "shared.js:4", "count")
    posted = watch.tab.session.post
    watch.tab.session.on("Debugger.paused", lambda _: posted("Debugger.resume"))
    await watch.evaluate("(async () => { for (let n = 0; n < 10; n++) { quote(n); await null; } })()")
    await watch.until(lambda: len(hits(watch, "count")) == 10)


async def test_a_pause_for_another_user_does_not_end_the_next_one(watch: Watch, url: str) -> None:
    """An exception is read when its catcher is switched off, and then a log point is hit: its values are there."""
    assert url
    for number in range(8):
        await watch.call("debug", action="catch")
        await watch.evaluate("setTimeout(() => { try { quote(1); throw new Error('once') } catch {} })")
        await watch.call("debug", action="off")
        await log(watch, "shared.js:4", "count")
        await watch.evaluate(f"setTimeout(() => quote({100 + number}))")
        await watch.log(f"count = {100 + number}")
    assert hits(watch, "could not be read") == []


async def test_a_page_in_a_loop_is_still_told_about(watch: Watch, url: str) -> None:
    """A line that runs 100,000 times: the page goes on, and the lines of the answer stay within their budget."""
    assert url
    await log(watch, "shared.js:4", "count", limit=50)
    with trio.fail_after(60):
        assert await watch.evaluate("(() => { for (let n = 0; n < 100000; n++) quote(n); return quote(1); })()") == 42
    assert len(hits(watch)) == 50
    answer = await call_tool(TOOLS, evolve(watch.context, form="lines"), "observe", {"what": "logs"})
    assert len(answer.text.encode()) <= 8192
