"""What came of an answer that broke off is kept masked; as it came, only who reads it at its end gets it."""

from random import Random

import pytest

from gasoline_cdp.capture.body_reader import BodyHandle, masked_partial, read_response
from gasoline_cdp.cdp.connection import open_connection
from tests.fakes import FakeTransport, network_record
from tests.made_material import MAKERS

pytestmark = pytest.mark.requirement("F1-SECRETS")

SECRET = MAKERS["shopify"](Random(5))
RECEIVED = f'{{"key": "{SECRET}", "rest": "ü'.encode()[:-1]


async def test_later_only_the_masked_text_is_there() -> None:
    record = network_record(1, outcome="failed", status=200, mime="application/json")
    async with open_connection(FakeTransport()) as connection:
        session = connection.open_session("S", connection.root)
        session.close("the page is gone")
        handle = BodyHandle(session, "1.1", record, None, False, masked_partial(RECEIVED, record))
        at_its_end = await read_response(handle, received=RECEIVED)
        later = await read_response(handle)
    assert SECRET in str(at_its_end.text)
    assert SECRET[6:14] not in str(later.text)
    assert str(later.text).startswith('{"key": "')
    assert at_its_end.broken_off
    assert later.broken_off


def test_what_is_no_text_is_described() -> None:
    record = network_record(1, outcome="failed", status=200, mime="application/json", decoded_bytes=3)
    assert masked_partial(b"\xff\xfe\x00", record).text == "[Binary: 3 bytes, application/json]"
