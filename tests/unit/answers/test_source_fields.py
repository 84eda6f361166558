"""Which part of a tab an entry comes from."""

import pytest

from gasoline_cdp.answers.source_fields import inside
from gasoline_cdp.records import Source
from tests.fakes import PAGE


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (PAGE, {}),
        (Source(1, "iframe", "http://ads.test/", 1, "T1", "F9"), {"frame": "http://ads.test/"}),
        (Source(1, "worker", "http://app.test/w.js", 1, "W1"), {"worker": "worker http://app.test/w.js"}),
        (
            Source(0, "page", "http://app.test/", 1, "", ingested_from="http://app.test"),
            {"ingested_from": "http://app.test"},
        ),
    ],
)
def test_an_entry_says_where_in_its_tab_it_comes_from(source: Source, told: dict[str, str]) -> None:
    assert inside(source) == told
