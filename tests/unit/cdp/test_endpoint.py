"""Where a browser's WebSocket is, and that no message shows what it takes to be let in."""

import pytest

from gasoline_cdp.cdp.endpoint import Endpoint, is_loopback, parse_header, shown_address, split_address

pytestmark = pytest.mark.requirement("F2-REMOTE")


@pytest.mark.parametrize(
    ("address", "leaks"),
    [
        ("wss://grid.test/session/1?token=T", False),
        ("ws://grid.test/session/1?token=T", True),
        ("ws://me:secret@grid.test/session/1", True),
        ("ws://grid.test/session/1", False),
        ("ws://127.0.0.1:9222/devtools/browser/1?token=T", False),
        ("ws://[::1]:9222/?token=T", False),
        ("ws://127.0.0.1.grid.test/?token=T", True),
    ],
)
def test_credentials_leak_unencrypted_to_other_machines_only(address: str, leaks: bool) -> None:
    assert Endpoint(address=address).leaks_credentials() is leaks


def test_headers_are_credentials_too() -> None:
    headers = (("Authorization", "Bearer quite-secret"),)
    assert Endpoint(address="ws://grid.test/", headers=headers).leaks_credentials()
    assert not Endpoint(address="ws://localhost/", headers=headers).leaks_credentials()


def test_neither_repr_nor_message_shows_credentials() -> None:
    endpoint = Endpoint(
        address="wss://me:hidden-1@grid.test/s?token=hidden-2#hidden-3", headers=(("X-Key", "hidden-4"),)
    )
    assert "hidden" not in repr(endpoint) + endpoint.shown()
    assert endpoint.shown() == "wss://grid.test/s?…"


@pytest.mark.parametrize("address", ["ws://[::1", "", "http://", "wss://" + "x" * 1000])
def test_an_odd_address_can_be_shown(address: str) -> None:
    assert len(shown_address(address)) <= 210


def test_an_address_needs_a_known_scheme_a_host_and_a_port_that_can_be() -> None:
    assert split_address("wss://grid.test:9000/x", {"ws", "wss"}) is not None
    for wrong in ("http://grid.test/", "ws://", "ws://grid.test:0/", "ws://grid.test:99999/", "ws://[::1/"):
        assert split_address(wrong, {"ws", "wss"}) is None


def test_this_machine_is_known_by_name_and_number() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.8.8.8", "::1")))
    assert not any(map(is_loopback, ("localhost.grid.test", "10.0.0.1", "", "127.0.0.1.grid.test")))


def test_a_header_is_a_name_and_a_printable_value() -> None:
    assert parse_header(" Authorization : Bearer a:b ") == ("Authorization", "Bearer a:b")


@pytest.mark.parametrize(
    "text", ["quite-secret", "X:", ": quite-secret", "X Y: quite-secret", "X: quite-\nsecret", "Host: quite-secret"]
)
def test_a_wrong_header_is_refused_without_its_value(text: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        parse_header(text)
    assert "secret" not in str(refused.value)
