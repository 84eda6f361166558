"""The differences of two snapshots as an answer shows them: as many as fit, and what does not is counted."""

from typing import Any

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.compare.sessions import EndpointPair, IssueDiff, SessionDiff
from gasoline_cdp.analysis.compare.snapshots import Endpoint, SessionIssue
from gasoline_cdp.answers.paging import shrink
from gasoline_cdp.answers.wording import number_of

# So many of each list, fewer and fewer, until an answer has room for them and for what stands around them.
_FEWER = (15, 8, 4, 2, 1)
# Where the size of the answer is given.
_MORE = (limits.SNAPSHOT_ENDPOINTS, 50, 25)
_AROUND_DIFF = 2000


def did_not_fit(count: int, noun: str, max_bytes: int | None) -> str:
    """How to see what an answer had no room for; empty if it has all."""
    if not count:
        return ""
    if max_bytes == limits.ANSWER_BYTES_MAX:
        how = "compare two files of `gasoline-cdp snapshot` with `gasoline-cdp diff --json`"
    else:
        how = f"ask again with max_bytes, at most {limits.ANSWER_BYTES_MAX}"
    return f" {number_of(count, f'more {noun}')} did not fit: {how}."


def fitting_diff(diff: SessionDiff, max_bytes: int | None) -> tuple[dict[str, Any], int]:
    """As many differences as fit, and how many do not."""
    budget = (max_bytes or limits.ANSWER_BYTES) - _AROUND_DIFF
    everything = show_diff(diff)
    tries = (_cut(everything, most) for most in ((*_MORE, *_FEWER) if max_bytes else _FEWER))
    shown = next((one for one in tries if len(wire.encode(one)) <= budget), None)
    if shown is None:
        shown = shrink(_cut(everything, _FEWER[-1]), max(budget, 0))
    return shown, _entries(everything) - _entries(shown)


def _cut(shown: dict[str, Any], most: int) -> dict[str, Any]:
    return {
        name: value[:most] if isinstance(value, list) else _cut(value, most) if isinstance(value, dict) else value
        for name, value in shown.items()
    }


def _entries(shown: dict[str, Any]) -> int:
    return sum(
        len(value) if isinstance(value, list) else _entries(value) if isinstance(value, dict) else 0
        for value in shown.values()
    )


def show_diff(diff: SessionDiff) -> dict[str, Any]:
    """All differences; empty lists stay, since that nothing is new is what was asked."""
    network = diff.network
    shown: dict[str, Any] = {
        "errors": _issues(diff.errors),
        "network": {
            "new_errors": [_endpoint(endpoint, failed=True) for endpoint in network.new_errors],
            "resolved_errors": [_endpoint(endpoint, failed=True) for endpoint in network.resolved_errors],
            **(
                {"not_retried": [_endpoint(endpoint, failed=True) for endpoint in network.not_retried]}
                if network.not_retried
                else {}
            ),
            "status_changes": [_pair(pair) for pair in network.status_changes],
            "new_endpoints": [_endpoint(endpoint) for endpoint in network.new_endpoints],
            "missing_endpoints": [_endpoint(endpoint) for endpoint in network.missing_endpoints],
        },
        "performance": [
            {
                "path": load.path,
                "metrics": {
                    change.metric: {
                        "before": change.baseline,
                        "after": change.current,
                        "change": None if change.change_percent is None else f"{change.change_percent:+.0f}%",
                        "regression": change in load.regressions,
                    }
                    for change in load.metrics
                },
                **({"probable_cause": wire.dump(load.cause)} if load.cause else {}),
                **({"further_causes": [wire.dump(cause) for cause in load.causes[1:]]} if load.causes[1:] else {}),
                **({"cache_differs": True} if load.cache_differs else {}),
            }
            for load in diff.performance
        ],
        "websockets": {"connection_changes": [wire.dump(change) for change in diff.websockets]},
    }
    if diff.findings:
        shown["findings"] = {category: _issues(found) for category, found in diff.findings.items()}
    return shown


def _issues(diff: IssueDiff) -> dict[str, Any]:
    return {
        "new": [_issue(issue) for issue in diff.new],
        "resolved": [_issue(issue) for issue in diff.resolved],
        "unchanged": [_issue(issue) for issue in diff.unchanged],
        **{side: [_issue(issue) for issue in found] for side, found in _counted(diff).items() if found},
        **({"not_retried": [_issue(issue) for issue in diff.not_retried]} if diff.not_retried else {}),
    }


def _counted(diff: IssueDiff) -> dict[str, tuple[SessionIssue, ...]]:
    """What has more or fewer elements than before; `count` says how many more or fewer."""
    return {"grown": diff.grown, "shrunk": diff.shrunk}


def _issue(issue: SessionIssue) -> dict[str, Any]:
    return {"type": issue.type, "message": issue.message, "count": issue.count}


def _endpoint(endpoint: Endpoint, *, failed: bool = False) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "method": endpoint.method,
        "url": endpoint.url,
        "status": endpoint.failed_status if failed else endpoint.status,
    }
    return {**shown, "failure": endpoint.failure} if failed and endpoint.failure else shown


def _pair(pair: EndpointPair) -> dict[str, Any]:
    change = pair.duration_change
    return {
        "method": pair.after.method,
        "url": pair.after.url,
        "before": pair.before.status,
        "after": pair.after.status,
        **({} if change is None else {"duration_change": f"{change:+.0f}ms"}),
    }
