"""The contracts of the endpoints. The least recently called endpoint is dropped first."""

from typing import Any

from gasoline_cdp import limits
from gasoline_cdp.analysis.contracts.contract import Contract
from gasoline_cdp.analysis.contracts.exchanges import Exchange
from gasoline_cdp.analysis.normalise import origin_of, without_ids
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.bounded import BoundedDict


class Contracts:
    """Bounded. The least recently called endpoint is dropped and counted."""

    def __init__(self) -> None:
        self.evicted = 0
        self.observed = 0
        # JSON that is a static file and not an answer of an API.
        self.static_files = 0
        self._contracts: BoundedDict[tuple[str, str], Contract] = BoundedDict(limits.ENDPOINTS_TRACKED, self._evicted)

    def __len__(self) -> int:
        return len(self._contracts)

    def knows(self, endpoint: str, url: str) -> bool:
        """Whether an endpoint has answered with JSON before."""
        return (endpoint, origin_of(url)) in self._contracts

    def observe(
        self,
        endpoint: str,
        url: str,
        status: int,
        value: Any,
        ts: float,
        error_text: str = "",
        exchange: Exchange | None = None,
    ) -> None:
        """Learn one more answer of an endpoint."""
        key = endpoint, origin_of(url)
        contract = self._contracts.get(key)
        if contract is None:
            contract = self._contracts[key] = Contract(
                endpoint=endpoint, method=endpoint.partition(" ")[0], path=without_ids(path_of(url)), origin=key[1]
            )
        self._contracts.move_to_end(key)
        contract.observe(status, value, ts, error_text, exchange)
        self.observed += 1

    def _evicted(self, *_: object) -> None:
        self.evicted += 1

    def newest(self) -> list[Contract]:
        """All endpoints, the most recently called first."""
        return list(reversed(self._contracts.values()))

    def clear(self) -> int:
        """Forget all contracts; return how many there were."""
        removed = len(self._contracts)
        self._contracts.clear()
        self.observed = self.evicted = self.static_files = 0
        return removed
