"""Endpoints without their ids."""

import pytest

from gasoline_cdp.analysis.normalise import endpoint_of, origin_of

pytestmark = pytest.mark.requirement("F5-CONTRACTS")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://h/users/123/posts", "/users/:id/posts"),
        ("https://h/users/123?x=1#y", "/users/:id"),
        ("https://h/items/550e8400-e29b-41d4-a716-446655440000", "/items/:id"),
        ("https://h/assets/a1b2c3d4e5", "/assets/:id"),
        ("https://h/v1/customers/cus_QXg1o8vcGmoR32/cards", "/v1/customers/:id/cards"),
        ("https://h/orders/1/2", "/orders/:id/:id"),
        ("https://h/feedback/deadbeef", "/feedback/deadbeef"),
        ("https://h/user_settings/profile", "/user_settings/profile"),
        ("https://h", "/"),
        ("http://[broken", "http://[broken"),
    ],
)
def test_endpoint_grouping_by_method_and_path(url: str, path: str) -> None:
    assert endpoint_of("GET", url) == f"GET {path}"


def test_origins() -> None:
    assert origin_of("https://u:p@h:8/x") == "https://h:8"
    assert origin_of("about:blank") == ""
