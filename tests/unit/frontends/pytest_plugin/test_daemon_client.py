from functools import partial

import pytest
import trio

from gasoline_cdp.frontends.http.access import make_access, published
from gasoline_cdp.frontends.pytest_plugin.daemon_client import DaemonClient, DaemonError, find_daemon
from tests.fakes import make_context
from tests.http_client import open_http


async def test_it_speaks_to_a_daemon() -> None:
    async with open_http(make_context()) as http:
        client = DaemonClient(http.access.url, http.access.token)
        await trio.to_thread.run_sync(client.check)
        boundary = {"test_id": "a", "retry": 0, "action": "start", "browser_context_id": "C"}
        await trio.to_thread.run_sync(client.mark_boundary, boundary)
        selection = {"test_id": "a", "retry": 0}
        assert '"logs"' in await trio.to_thread.run_sync(client.snapshot, selection)
        assert "No errors" in await trio.to_thread.run_sync(client.summary, selection)
        with pytest.raises(DaemonError, match="No start of a test") as refused:
            await trio.to_thread.run_sync(client.snapshot, {"test_id": "b"})
        assert refused.value.status == 404
        assert client.gone is None
        client.close()


async def test_a_wrong_token_is_refused_with_the_daemon_s_words() -> None:
    async with open_http(make_context()) as http:
        client = DaemonClient(http.access.url, "wrong")
        with pytest.raises(DaemonError, match="The token is missing or wrong"):
            await trio.to_thread.run_sync(client.check)
        with pytest.raises(DaemonError, match="The token is missing or wrong"):
            await trio.to_thread.run_sync(partial(client.mark_boundary, {"test_id": "a", "action": "start"}))
        client.close()


def test_nobody_is_asked_again_after_nobody_answered() -> None:
    client = DaemonClient("http://127.0.0.1:1", None)
    with pytest.raises(DaemonError):
        client.check()
    assert client.gone == "gasoline-cdp at http://127.0.0.1:1 is not there"


def test_it_is_found_by_what_ci_says_or_by_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GASOLINE_URL", raising=False)
    assert find_daemon() is None
    access = make_access(4242, no_token=False)
    with published(access):
        found = find_daemon()
    assert found is not None
    assert found.url == access.url
    monkeypatch.setenv("GASOLINE_URL", "http://127.0.0.1:1")
    told = find_daemon()
    assert told is not None
    assert told.url == "http://127.0.0.1:1"
