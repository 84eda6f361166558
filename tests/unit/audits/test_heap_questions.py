"""Texts of a heap on their way to the reader: places in the code replaced as a whole, secrets masked."""

import pytest

from gasoline_cdp.audits.heap_questions import safe_texts, shown_location

pytestmark = pytest.mark.requirement("F10-MEMORY")


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("panel.js:42:7", "panel.js:42"),
        ("app.min.js:1:20311", "app.min.js:1:20311"),
        ("a:b.js:3:1", "a:b.js:3"),
    ],
)
def test_a_column_is_shown_where_the_line_is_a_bundle_s(location: str, shown: str) -> None:
    assert shown_location(location) == shown


def test_a_location_is_replaced_as_a_whole() -> None:
    written = {"a.js:1:2": "cart.ts:7", "a.js:1:23": "shop.ts:9", "data.js:1:2": "data.js:1"}
    said = {
        "held_by": "listener onClick (a.js:1:23)",
        "more": ["a.js:1:2", "of run (data.js:1:2)", 5, None, "xa.js:1:2"],
    }
    assert safe_texts(said, written) == {
        "held_by": "listener onClick (shop.ts:9)",
        "more": ["cart.ts:7", "of run (data.js:1)", 5, None, "xa.js:1:2"],
    }


def test_secrets_are_masked_without_locations_too() -> None:
    secret = "ghp_" + "Zk3vT9qLw2XyB7nM4rJ8sD1fG6hK5pA0cE2u"
    assert secret not in safe_texts(f"variable token {secret}", {})
