"""A comparison of two session snapshots as one HTML page: what broke, what is fixed, what got slower. No network."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape

from gasoline_cdp.analysis.compare.sessions import PerformanceDiff, SessionDiff
from gasoline_cdp.analysis.compare.snapshots import Endpoint, Performance, SessionIssue, SessionSnapshot
from gasoline_cdp.analysis.performance.regressions import Change, MetricName
from gasoline_cdp.analysis.performance.resources import resource_key
from gasoline_cdp.artifacts.html_page import html_page
from gasoline_cdp.limits import KB
from gasoline_cdp.measures import Resource

_VERDICTS = {
    "improved": ("better", "Improved: less is wrong, and nothing new."),
    "regressed": ("worse", "Regressed: something is wrong that was not before."),
    "mixed": ("worse", "Mixed: some of what was wrong is gone, and something else is wrong."),
    "unchanged": ("same", "Unchanged: nothing that matters differs."),
}
_LABELS: dict[MetricName, str] = {
    "load": "Load",
    "first_contentful_paint": "First contentful paint",
    "largest_contentful_paint": "Largest contentful paint",
    "time_to_first_byte": "Time to first byte",
    "interaction_to_next_paint": "Interaction to next paint",
    "cumulative_layout_shift": "Cumulative layout shift",
    "request_count": "Requests",
    "transfer_size": "Transferred",
    "long_task_count": "Long tasks",
    "total_blocking_time": "Blocking time",
}
_COUNTS = {"request_count", "long_task_count"}
_KEY = '<span class="key before"></span>before<span class="key after"></span>after'


def diff_page(
    before: SessionSnapshot, after: SessionSnapshot, diff: SessionDiff, *, names: tuple[str, str], css: str
) -> str:
    """The page. Everything from pages or servers is text, escaped here and nowhere else."""
    kind, sentence = _VERDICTS[diff.verdict]
    broke, mended, still = _broke(diff), _mended(diff), _still(diff, after)
    title = f"{_text(names[0])} → {_text(names[1])}"
    body = [
        f"<h1>{title}</h1>",
        f'<p class="verdict {kind}">{sentence}</p>',
        f'<p class="faint">{_when(before)} to {_when(after)}. {_text(after.page_url or before.page_url)}</p>',
        _numbers(("What broke", len(broke)), ("What was mended", len(mended)), ("Still wrong", len(still))),
        *_section("What broke", "worse", broke, "Nothing."),
        *_section("What was mended", "better", mended, "Nothing."),
        *_section("Still wrong", "same", still, "Nothing."),
        *(_section("Not tried after", "same", _not_retried(diff), "") if diff.not_retried else ()),
        *_performance(diff.performance),
        *_waterfalls(before.performance, after.performance),
        *_endpoints("Called only before", diff.network.missing_endpoints),
        *_endpoints("Called only after", diff.network.new_endpoints),
    ]
    return html_page(title, css, body)


def _text(text: object) -> str:
    return escape(str(text), quote=True)


def _when(snapshot: SessionSnapshot) -> str:
    return datetime.fromtimestamp(snapshot.captured_at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _numbers(*pairs: tuple[str, int]) -> str:
    return "<dl>" + "".join(f"<div><dt>{label}</dt><dd>{count}</dd></div>" for label, count in pairs) + "</dl>"


def _item(kind: str, text: str, count: int = 1) -> str:
    times = f' <span class="faint">× {count}</span>' if count > 1 else ""
    return f'<li><span class="kind">{_text(kind)}</span><code>{_text(text)}</code>{times}</li>'


def _issue(issue: SessionIssue, kind: str = "") -> str:
    return _item(kind or issue.type, issue.message, issue.count)


def _failing(endpoint: Endpoint) -> str:
    failure = endpoint.failed_status or endpoint.failure or "failed"
    return _item("request", f"{endpoint.name} → {failure}", endpoint.failed)


def _slower(load: PerformanceDiff, change: Change) -> str:
    before, after = _value(change.metric, change.baseline), _value(change.metric, change.current)
    return _item(load.path, f"{_LABELS[change.metric]} {before} → {after}")


def _broke(diff: SessionDiff) -> list[str]:
    return [
        *(_issue(issue) for issue in diff.errors.new),
        *(_failing(endpoint) for endpoint in diff.network.new_errors),
        *(_item("socket", f"{change.url} {change.after}") for change in diff.websockets if change.new_failure),
        *(_issue(issue, name) for name, issues in diff.findings.items() for issue in issues.new),
        *(_slower(load, change) for load in diff.performance for change in load.regressions),
    ]


def _mended(diff: SessionDiff) -> list[str]:
    return [
        *(_issue(issue) for issue in diff.errors.resolved),
        *(_failing(endpoint) for endpoint in diff.network.resolved_errors),
        *(_item("socket", f"{change.url} {change.before}") for change in diff.websockets if change.resolved),
        *(_issue(issue, name) for name, issues in diff.findings.items() for issue in issues.resolved),
        *(_slower(load, change) for load in diff.performance for change in load.improvements),
    ]


def _not_retried(diff: SessionDiff) -> list[str]:
    return [
        *(_issue(issue) for issue in diff.errors.not_retried),
        *(_failing(endpoint) for endpoint in diff.network.not_retried),
        *(_item("socket", f"{change.url} {change.before}") for change in diff.websockets if change.not_retried),
        *(_issue(issue, name) for name, issues in diff.findings.items() for issue in issues.not_retried),
    ]


def _still(diff: SessionDiff, after: SessionSnapshot) -> list[str]:
    new = {endpoint.name for endpoint in diff.network.new_errors}
    return [
        *(_issue(issue) for issue in diff.errors.unchanged),
        *(_failing(endpoint) for endpoint in after.failing if endpoint.name not in new),
        *(_issue(issue, name) for name, issues in diff.findings.items() for issue in issues.unchanged),
    ]


def _section(title: str, kind: str, items: Sequence[str], nothing: str) -> Iterable[str]:
    yield f'<h2 class="{kind}">{title}</h2>'
    yield from _list(items) if items else [f'<p class="faint">{nothing}</p>']


def _list(items: Sequence[str]) -> Iterable[str]:
    if items:
        yield f"<ul>{''.join(items)}</ul>"


def _endpoints(title: str, endpoints: Sequence[Endpoint]) -> Iterable[str]:
    if endpoints:
        yield from _section(
            title,
            "same",
            [
                _item("request", f"{one.name} → {one.status or one.failure or 'no answer'}", one.calls)
                for one in endpoints
            ],
            "",
        )


def _performance(loads: Sequence[PerformanceDiff]) -> Iterable[str]:
    if not loads:
        return
    yield f'<h2>Performance <span class="legend">{_KEY}</span></h2>'
    for load in loads:
        yield f"<h3>{_text(load.path)}</h3>"
        if load.cause:
            # In JSON the sentence refers to a list in the answer. On this page the list is below it.
            yield f"<p>Probable cause: {_text(load.cause.sentence.replace(' (resources[0])', ''))}</p>"
            yield from _list([_item(one.type, one.url) for one in load.cause.resources])
        yield (
            '<div class="wide" tabindex="0" role="region" aria-label="Performance of a page"><table><thead><tr>'
            '<th scope="col">Metric</th><th scope="col" class="bars">Compared</th>'
            '<th scope="col" class="number">Before</th>'
            '<th scope="col" class="number">After</th><th scope="col" class="number">Change</th></tr></thead><tbody>'
        )
        for change in load.metrics:
            yield _metric(change, worse=change in load.regressions, better=change in load.improvements)
        yield "</tbody></table></div>"


def _metric(change: Change, *, worse: bool, better: bool) -> str:
    most = max(change.baseline, change.current) or 1
    kind, word = ("worse", "worse") if worse else ("better", "better") if better else ("same", "")
    percent = "" if not change.change_percent else f"{change.change_percent:+.0f} % "
    return (
        f'<tr><th scope="row">{_LABELS[change.metric]}</th><td class="bars" aria-hidden="true">'
        f"{_bar('before', 0, change.baseline / most)}{_bar('after', 0, change.current / most)}</td>"
        f'<td class="number">{_value(change.metric, change.baseline)}</td>'
        f'<td class="number">{_value(change.metric, change.current)}</td>'
        f'<td class="number {kind}">{percent}{word}</td></tr>'
    )


def _bar(kind: str, start: float, length: float) -> str:
    return f'<span class="bar {kind}" style="margin-left:{start:.1%};width:{min(length, 1 - start):.1%}"></span>'


def _waterfalls(before: Sequence[Performance], after: Sequence[Performance]) -> Iterable[str]:
    old = {load.path: load for load in before}
    both = [
        (old[load.path], load) for load in after if load.path in old and (load.resources or old[load.path].resources)
    ]
    if not both:
        return
    yield f'<h2>Requests of each load <span class="legend">{_KEY}</span></h2>'
    for was, now in both:
        yield f"<h3>{_text(now.path)}</h3>"
        yield (
            '<div class="wide" tabindex="0" role="region" aria-label="Requests of a page"><table><thead><tr>'
            '<th scope="col">Request</th><th scope="col" class="lane">Before</th>'
            '<th scope="col" class="lane">After</th>'
            '<th scope="col" class="number">Time</th><th scope="col" class="number">Size</th></tr></thead><tbody>'
        )
        yield from _rows(was.resources, now.resources)
        yield "</tbody></table></div>"


def _rows(before: Sequence[Resource], after: Sequence[Resource]) -> Iterable[str]:
    whole = max((one.start_ms + one.duration_ms for one in (*before, *after)), default=1) or 1
    old = {resource_key(one.url): one for one in reversed(before)}
    new = {resource_key(one.url): one for one in reversed(after)}
    order = sorted({**old, **new}.items(), key=lambda pair: pair[1].start_ms)
    for key, one in order:
        was, now = old.get(key), new.get(key)
        yield (
            f'<tr><th scope="row" class="name" title="{_text(one.url)}">{_text(_short(one.url))}</th>'
            f'<td class="lane" aria-hidden="true">{_lane("before", was, whole)}</td>'
            f'<td class="lane" aria-hidden="true">{_lane("after", now, whole)}</td>'
            f'<td class="number">{_pair(_time(was), _time(now))}</td>'
            f'<td class="number">{_pair(_weight(was), _weight(now))}</td></tr>'
        )


def _lane(kind: str, resource: Resource | None, whole: float) -> str:
    return "" if resource is None else _bar(kind, resource.start_ms / whole, resource.duration_ms / whole)


def _time(resource: Resource | None) -> str:
    return f"{resource.duration_ms:.0f} ms" if resource else "–"


def _weight(resource: Resource | None) -> str:
    return _size(resource.size) if resource else "–"


def _pair(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"


def _short(url: str) -> str:
    bare = url.partition("?")[0].rstrip("/")
    return bare.rpartition("/")[2] or url


def _value(metric: MetricName, value: float) -> str:
    if metric == "transfer_size":
        return _size(value)
    if metric == "cumulative_layout_shift":
        return f"{value:.3f}"
    return f"{value:.0f}" if metric in _COUNTS else f"{value:.0f} ms"


def _size(value: float) -> str:
    return f"{value / KB:.1f} KB" if value >= KB else f"{value:.0f} B"
