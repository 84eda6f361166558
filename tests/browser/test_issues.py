"""What Chrome says only in the list of issues of DevTools is among the errors."""

from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gasoline_cdp.frontends.http.loopback import serve_app
from tests.support import Watch


@pytest.fixture
async def shop() -> AsyncIterator[str]:
    def page(_: Request) -> Response:
        answer = HTMLResponse("<!doctype html><title>Shop</title><p>Hello</p>")
        answer.headers.append("set-cookie", "sid=a-value-of-a-session; SameSite=None")
        answer.headers.append("set-cookie", "kept=1; Path=/none")
        return answer

    async with serve_app(Starlette(routes=[Route("/", page)])) as url:
        yield url


async def test_issues_are_among_the_errors(watch: Watch, shop: str) -> None:
    await watch.open(shop)
    await watch.until(lambda: any("'sid'" in one.text for one in watch.telemetry.logs.newest()))
    answer = await watch.call("observe", what="errors")
    assert "'sid'" in str(answer)
    assert "was not stored: SameSite=None needs Secure" in str(answer)
    assert "a-value-of-a-session" not in str(answer)
    assert "'kept'" not in str(answer)
