"""Programs attach browsers of this machine, and of hosts that a person allowed; of no others."""

import pytest

from gasoline_cdp.browser.allowed import ONLY_HERE, Allowed, identity_of
from gasoline_cdp.errors import Code, GasolineError

pytestmark = pytest.mark.requirement("F2-REMOTE")

HERE = "ws://127.0.0.1:9222/devtools/browser/ab-cd"
GRID = Allowed(hosts=("browsers.test:4444", "grid.test"))


def test_a_browser_here_is_known_by_port_and_path_whatever_its_host_is_called() -> None:
    assert ONLY_HERE.key(HERE) == (9222, "/devtools/browser/ab-cd")
    assert ONLY_HERE.key(HERE.replace("127.0.0.1", "localhost")) == identity_of(HERE)


@pytest.mark.parametrize(
    "address",
    [
        "wss://grid.test/session/1",
        "wss://GRID.test:9999/session/1",
        "ws://browsers.test:4444/session/1",
    ],
)
def test_a_host_that_a_person_allowed_may_be_named(address: str) -> None:
    assert GRID.key(address) == (None, address)


@pytest.mark.parametrize(
    "address",
    [
        "ws://browsers.test:4445/session/1",
        "wss://browsers.test/session/1",
        "wss://grid.test.bank.test/session/1",
        "wss://grid.test@bank.test/session/1",
        "https://grid.test/session/1",
        "ws://127.0.0.1:9222/json/version",
        "ws://[::1",
        "",
    ],
)
def test_others_are_refused(address: str) -> None:
    with pytest.raises(GasolineError, match="A person can allow other hosts at the start") as refused:
        GRID.key(address)
    assert refused.value.code is Code.INVALID_PARAMS


def test_a_refusal_shows_no_credentials() -> None:
    with pytest.raises(GasolineError) as refused:
        ONLY_HERE.key("wss://me:hidden@grid.test/s?token=hidden")
    assert "hidden" not in f"{refused.value.message}{refused.value.details}"
