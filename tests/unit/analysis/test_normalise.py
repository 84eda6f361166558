"""What is the same when it happens twice."""

import pytest

from gasoline_cdp.analysis.normalise import endpoint_of, normalise_message, origin_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Cannot read property 'x' of undefined at line 42",
            "Cannot read property 'x' of undefined at line 45",
        ),
        ("order 550e8400-e29b-41d4-a716-446655440000 is gone", "order 6ba7b810-9dad-11d1-80b4-00c04fd430c8 is gone"),
        ("user 17 not found", "user 123456 not found"),
        ("object 5f2b6c3d4e is locked", "object a1b2c3d4e5 is locked"),
        ("expired at 2026-01-20T14:30:00Z", "expired at 2026-11-02T09:01:12.123+01:00"),
        ("failed in http://app.test/a/b.js:10:4", "failed in http://app.test/a/b.js:11:9"),
        ("took 12.5 ms", "took 7 ms"),
        ("balance -3", "balance +4"),
    ],
)
def test_values_of_the_moment_do_not_tell_messages_apart(one: str, other: str) -> None:
    assert normalise_message(one) == normalise_message(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x is not a function", "y is not a function"),
        ("Request failed with status code 404", "Request failed with status code 500"),
        ("HTTP 401", "HTTP 403"),
        ("cannot load /api/users", "cannot load /api/orders"),
        ("utf8 expected", "utf16 expected"),
    ],
)
def test_what_the_error_is_about_does(one: str, other: str) -> None:
    assert normalise_message(one) != normalise_message(other)


def test_values_are_named_for_what_they_are() -> None:
    text = "user 17 of 550e8400-e29b-41d4-a716-446655440000 at 2026-01-20T14:30:00Z in app.js:3:9"
    assert normalise_message(text) == "user [id] of [uuid] at [timestamp] in [file]"


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://app.test/users/123/posts", "GET /users/:id/posts"),
        ("http://app.test/users/123/posts/9?page=2#top", "GET /users/:id/posts/:id"),
        ("http://app.test/items/550e8400-e29b-41d4-a716-446655440000", "GET /items/:id"),
        ("http://app.test/assets/A1B2C3D4E5", "GET /assets/:id"),
        ("http://app.test/api/v2/feedback", "GET /api/v2/feedback"),
        ("http://app.test/deadbeef", "GET /deadbeef"),
        ("http://app.test", "GET /"),
        ("http://app.test/", "GET /"),
        ("http://[REDACTED]@app.test/x/1", "GET /x/:id"),
    ],
)
def test_an_endpoint_is_a_path_without_its_ids(url: str, endpoint: str) -> None:
    assert endpoint_of("GET", url) == endpoint


def test_an_origin_is_all_before_the_path() -> None:
    assert origin_of("https://app.test:8080/a?b") == "https://app.test:8080"
    assert origin_of("data:text/plain,x") == ""


@pytest.mark.requirement("F5-CONTRACTS")
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
    ],
)
def test_endpoint_grouping_by_method_and_path(url: str, path: str) -> None:
    assert endpoint_of("GET", url) == f"GET {path}"


def test_origins_without_credentials() -> None:
    assert origin_of("https://u:p@h:8/x") == "https://h:8"
    assert origin_of("about:blank") == ""
