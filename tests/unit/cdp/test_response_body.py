"""Whom Chrome is asked by for a body."""

import pytest

from gasoline_cdp.cdp.connection import CdpClosed, open_connection
from gasoline_cdp.cdp.response_body import response_body
from tests.fakes import FakeTransport, settled

pytestmark = pytest.mark.requirement("F1-BODIES")


async def test_what_may_have_stopped_is_asked_neither_for_itself_nor_for_others() -> None:
    chrome = FakeTransport()
    async with open_connection(chrome, strict=True) as connection:
        page = connection.open_session("page", connection.root)
        worker = connection.open_session("worker", connection.root)
        worker.stoppable = True
        assert worker.stand_in() is page
        connection.close_session("page", "the page was closed")
        with pytest.raises(CdpClosed, match="no page is open"):
            await response_body(worker, "1")
        with pytest.raises(CdpClosed, match="the page was closed"):
            await response_body(page, "1")
        await settled()
        assert chrome.sent == []
