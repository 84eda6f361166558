"""What a client was shown is remembered by view, as long as it can be shown."""

import pytest

from gasoline_cdp import limits
from gasoline_cdp.store.shown_records import ShownRecords

pytestmark = pytest.mark.requirement("F9-CHANGE")


def test_each_view_remembers_what_it_showed() -> None:
    shown = ShownRecords()
    assert not shown.has("errors", 3)
    shown.add("errors", [7, 3, 7])
    assert [seq for seq in range(10) if shown.has("errors", seq)] == [3, 7]
    assert not shown.has("logs", 3)


def test_no_more_is_remembered_than_rings_hold() -> None:
    shown = ShownRecords()
    shown.add("errors", range(limits.SHOWN_RECORDS + 5))
    assert not shown.has("errors", 4)
    assert shown.has("errors", 5)
    assert limits.SHOWN_RECORDS >= limits.LOG_ENTRIES + limits.NETWORK_ENTRIES + limits.SOCKET_ENTRIES
