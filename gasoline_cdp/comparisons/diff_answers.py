"""The differences of two snapshots in an answer: as many as fit, and a count of the rest."""

from collections.abc import Callable, Iterator
from typing import Any

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.compare.sessions import EndpointPair, IssueDiff, SessionDiff
from gasoline_cdp.analysis.compare.snapshots import Endpoint, SessionIssue
from gasoline_cdp.analysis.performance.resources import Cause
from gasoline_cdp.analysis.sourcemaps.frames import cut
from gasoline_cdp.answers.lines import AnswerForm, Line, Tone
from gasoline_cdp.answers.marked_lines import line_bytes
from gasoline_cdp.answers.paging import shrink
from gasoline_cdp.answers.performance_change_lines import cause_lines
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.comparisons.change_lines import (
    end_of,
    endpoint_words,
    from_to,
    issue_words,
    joined,
    metric_words,
)

# List lengths to try until the answer fits.
_FEWER = (15, 8, 4, 2, 1)
# Tried first if the caller gave max_bytes.
_MORE = (limits.SNAPSHOT_ENDPOINTS, 50, 25)
_AROUND_DIFF = 2000
# Text lengths to try if even one entry of each list is too much.
_TEXT_CHARS = (300, 100, 40)
# Tag and tone of each list. What got worse comes first, what stayed the same last.
_ISSUES: dict[str, tuple[str, Tone]] = {
    "new": ("new", "error"),
    "grown": ("worse", "error"),
    "not_retried": ("not retried", "warning"),
    "resolved": ("resolved", "good"),
    "shrunk": ("better", "good"),
    "unchanged": ("still there", "plain"),
}
# List of issues → the list of endpoints that is shown with it.
_FAILING = {"new": "new_errors", "not_retried": "not_retried", "resolved": "resolved_errors"}
_ENDPOINTS = {"new_endpoints": "New endpoints:", "missing_endpoints": "No longer called:"}


def did_not_fit(count: int, noun: str, max_bytes: int | None) -> str:
    """How many did not fit, and how to see them; empty if all fit."""
    if not count:
        return ""
    if max_bytes == limits.ANSWER_BYTES_MAX:
        how = "compare two files of `gasoline-cdp snapshot` with `gasoline-cdp diff --json`"
    else:
        how = f"ask again with max_bytes, at most {limits.ANSWER_BYTES_MAX}"
    return f" {number_of(count, f'more {noun}')} did not fit: {how}."


def fitting_diff(diff: SessionDiff, max_bytes: int | None, form: AnswerForm = "json") -> tuple[dict[str, Any], int]:
    """As many differences as fit in the form that the client reads, and how many do not."""
    return fitting_differences(show_diff(diff), max_bytes, _diff_line_bytes if form == "lines" else bytes_as_json)


def fitting_differences(
    everything: dict[str, Any], max_bytes: int | None, size: Callable[[dict[str, Any]], int], around: int = _AROUND_DIFF
) -> tuple[dict[str, Any], int]:
    """As many differences as fit, and how many do not. If one of each is too much, long texts are cut first."""
    shown, _ = fitting_lists(everything, max_bytes, size, around)
    budget = max(0, _budget(max_bytes, around))
    if size(shown) > budget:
        shorter: Iterator[dict[str, Any]] = (_with_short_texts(shown, chars) for chars in _TEXT_CHARS)
        fit = next((one for one in shorter if size(one) <= budget), None)
        shown = shrink(shown, budget) if fit is None else fit
    return shown, _entries(everything) - _entries(shown)


def fitting_lists(
    everything: dict[str, Any],
    max_bytes: int | None,
    measure: Callable[[dict[str, Any]], int] | None = None,
    around: int = _AROUND_DIFF,
) -> tuple[dict[str, Any], int]:
    """With its lists cut to the same length, so that it fits, and how many entries do not; each keeps one at least."""
    size = measure or bytes_as_json
    tries = (_cut(everything, most) for most in ((*_MORE, *_FEWER) if max_bytes else _FEWER))
    fit = (one for one in tries if size(one) <= _budget(max_bytes, around))
    shown = next(fit, None) or _cut(everything, _FEWER[-1])
    return shown, _entries(everything) - _entries(shown)


def bytes_as_json(shown: dict[str, Any]) -> int:
    """Size of differences in a JSON answer."""
    return len(wire.encode(shown))


def _diff_line_bytes(shown: dict[str, Any]) -> int:
    return line_bytes(diff_lines(shown))


def _budget(max_bytes: int | None, around: int) -> int:
    return (max_bytes or limits.ANSWER_BYTES) - around


def _cut(shown: dict[str, Any], most: int) -> dict[str, Any]:
    return {
        name: value[:most] if isinstance(value, list) else _cut(value, most) if isinstance(value, dict) else value
        for name, value in shown.items()
    }


def _with_short_texts(shown: Any, chars: int) -> Any:
    if isinstance(shown, dict):
        return {name: _with_short_texts(value, chars) for name, value in shown.items()}
    if isinstance(shown, list):
        return [_with_short_texts(value, chars) for value in shown]
    return cut(shown, chars) if isinstance(shown, str) else shown


def _entries(shown: dict[str, Any]) -> int:
    return sum(
        len(value) if isinstance(value, list) else _entries(value) if isinstance(value, dict) else 0
        for value in shown.values()
    )


def show_diff(diff: SessionDiff) -> dict[str, Any]:
    """All differences. Empty lists are kept: "nothing is new" is an answer, too."""
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
        shown["findings"] = {category: _issues(issues) for category, issues in diff.findings.items()}
    return shown


def _issues(diff: IssueDiff) -> dict[str, Any]:
    return {
        "new": [_issue(issue) for issue in diff.new],
        "resolved": [_issue(issue) for issue in diff.resolved],
        "unchanged": [_issue(issue) for issue in diff.unchanged],
        **{side: [_issue(issue) for issue in issues] for side, issues in _counted(diff).items() if issues},
        **({"not_retried": [_issue(issue) for issue in diff.not_retried]} if diff.not_retried else {}),
    }


def _counted(diff: IssueDiff) -> dict[str, tuple[SessionIssue, ...]]:
    """Issues with more or fewer elements than before. `count` is the difference."""
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


def diff_lines(diff: dict[str, Any]) -> Iterator[Line]:
    """The differences from `fitting_diff` as lines. Some lists may be missing."""
    network = diff.get("network", {})
    yield from _issue_lines({"errors": diff.get("errors", {}), **diff.get("findings", {})}, network)
    for load in diff.get("performance", ()):
        yield from _load_lines(load)
    for change in diff.get("websockets", {}).get("connection_changes", ()):
        yield _socket_line(change)
    yield from _endpoint_lines(network)


def _issue_lines(categories: dict[str, Any], network: dict[str, Any]) -> Iterator[Line]:
    """New, resolved and remaining issues of all categories."""
    for name, (tag, tone) in _ISSUES.items():
        for category, lists in categories.items():
            for issue in lists.get(name, ()):
                kind = issue["type"] if category == "errors" else category
                yield Line(joined(kind, _issue_words(name, issue)), tag=tag, tone=tone)
        for endpoint in network.get(_FAILING.get(name, ""), ()):
            yield Line(joined("network", _endpoint_words(endpoint)), tag=tag, tone=tone)


def _endpoint_lines(network: dict[str, Any]) -> Iterator[Line]:
    """Endpoints whose status changed, new endpoints, and those no longer called."""
    for pair in network.get("status_changes", ()):
        end = from_to(end_of(pair["before"]), end_of(pair["after"]))
        yield Line(
            endpoint_words(pair["method"], pair["url"], end, pair.get("duration_change", "")), tag="changed network"
        )
    for name, heading in _ENDPOINTS.items():
        if endpoints := network.get(name):
            yield Line(heading, tone="heading")
            for endpoint in endpoints:
                # The method comes from the page and must not start a line.
                yield Line(_endpoint_words(endpoint), tag="-")


def _issue_words(name: str, issue: dict[str, Any]) -> str:
    message, count = issue["message"], issue["count"]
    if name in {"grown", "shrunk"}:
        how = "more element" if name == "grown" else "fewer element"
        return joined(issue_words(message), number_of(count, how))
    return issue_words(message, count)


def _endpoint_words(endpoint: dict[str, Any]) -> str:
    return endpoint_words(
        endpoint["method"], endpoint["url"], end_of(endpoint["status"], endpoint.get("failure") or "")
    )


def _socket_line(change: dict[str, Any]) -> Line:
    """What became of its failure, or its states if it never failed."""
    states = from_to(*(word(change[side]) if change[side] else "none" for side in ("before", "after")))
    name = next((name for name in ("new_failure", "not_retried", "resolved") if change.get(name)), "")
    tag, tone = {**_ISSUES, "new_failure": _ISSUES["new"]}.get(name, ("changed", "plain"))
    return Line(joined("websocket", word(change["url"]), states), tag=tag, tone=tone)


def _load_lines(load: dict[str, Any]) -> Iterator[Line]:
    """Differences between two loads of a page, regressions first, and their causes if known."""
    metrics = sorted(load["metrics"].items(), key=lambda named: not named[1]["regression"])
    differences = [
        metric_words(metric, one["before"], one["after"], one["change"] or "") + (" worse" if one["regression"] else "")
        for metric, one in metrics
        if one["before"] != one["after"]
    ]
    cached = "only one of the two came from the cache" if load.get("cache_differs") else ""
    worse = any(one["regression"] for one in load["metrics"].values())
    words = "; ".join(filter(None, (cached, *differences))) or "nothing differs"
    yield Line(f"{word(load['path'])}: {words}", tag="load", tone="error" if worse else "plain")
    causes = [("probable cause:", load["probable_cause"])] if "probable_cause" in load else []
    causes += [("further cause:", cause) for cause in load.get("further_causes", ())]
    for tag, cause in causes:
        yield from cause_lines(wire.structure(cause, Cause), SharedFacts(), tag, depth=1)
