"""The contracts of all endpoints are bounded."""

import pytest

from gasoline_cdp import limits
from gasoline_cdp.store.contracts import Contracts

pytestmark = pytest.mark.requirement("F5-CONTRACTS")


def test_the_least_recently_called_endpoint_goes() -> None:
    contracts = Contracts()
    for number in range(limits.ENDPOINTS_TRACKED + 2):
        contracts.observe("GET /kept", "https://h/kept", 200, {"a": 1}, 1.0)
        contracts.observe(f"GET /{number}x", f"https://h/{number}x", 200, {"a": 1}, 1.0)
    assert len(contracts) == limits.ENDPOINTS_TRACKED
    assert contracts.evicted == 3
    assert contracts.knows("GET /kept", "https://h/kept")
    assert contracts.clear() == limits.ENDPOINTS_TRACKED


def test_origins_are_told_apart() -> None:
    contracts = Contracts()
    contracts.observe("GET /x", "https://a/x", 200, {}, 1.0)
    contracts.observe("GET /x", "https://b/x", 200, {}, 1.0)
    assert len(contracts) == 2
