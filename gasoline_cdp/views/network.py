"""The view `network`: requests and their outcomes, a count of static assets, or one request in detail."""

from collections import Counter

from attrs import evolve

from gasoline_cdp import limits, wire
from gasoline_cdp.analysis.requests import STATIC, is_browser_initiated, went_wrong
from gasoline_cdp.answers.network_entries import NetworkDetail, NetworkEntry, show_network, show_network_detail
from gasoline_cdp.answers.paging import budget_of, fill_page, fitting, matches, start_of
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.operations.context import Context
from gasoline_cdp.records import NetworkRecord
from gasoline_cdp.views.listing import Listing, ObserveArgs, dated, make_listing, time_window_of
from gasoline_cdp.views.summaries import summarise

_PENDING_SHOWN = 5
_SLOW_REDIRECT_MS = 100
_SCRIPTS = {"text/javascript", "application/javascript", "application/wasm"}
# Room for the static assets in the summary.
_STATIC_WORDS = 100
# Header lengths to try until the answer fits.
_HEADER_CHARS = (300, 100, 30, 0)


def is_static(record: NetworkRecord) -> bool:
    """Whether a request is of little interest: an asset that loaded, or one made by the browser itself."""
    if went_wrong(record):
        return is_browser_initiated(record)
    # Chrome calls the scripts that a worker loads `Other`.
    of_worker = record.type == "Other" and record.mime in _SCRIPTS
    return is_browser_initiated(record) or record.type in STATIC or of_worker


def list_requests(args: ObserveArgs, context: Context) -> Listing | NetworkDetail:
    """Requests, or with `request_id` everything about one."""
    if args.request_id is not None:
        return _one_request(args, context)
    window = time_window_of(args, context)
    matching = [
        record
        for record in context.telemetry.network.newest(start_of(args.cursor))
        if record in window and matches(record, args, record.url)
    ]
    # A granted preflight is shown with its request, on whatever page that is.
    kept = list(context.telemetry.network.newest())
    ids = {record.id for record in kept}
    granted = {
        record.preflight_for: record for record in kept if record.preflight_for in ids and record.outcome == "ok"
    }
    chosen, static = [], Counter[str]()
    for record in matching:
        if granted.get(record.preflight_for) is record:
            continue
        if args.include_static or not is_static(record):
            chosen.append(record)
        else:
            static["browser" if is_browser_initiated(record) else record.type] += 1
            window.mark_shown([record.seq])
    pending = [
        record
        for record in context.capture.pending_requests()
        if record.outcome == "pending" and record in window and matches(record, args, record.url)
    ]
    newest = pending[: max(_PENDING_SHOWN, args.limit or 0)] if args.cursor is None else []
    under_way = fitting([show_network(record) for record in newest], budget_of(args) // 3)

    def show(record: NetworkRecord) -> NetworkEntry:
        entry = show_network(context.telemetry.known(record), granted.get(record.id))
        if went_wrong(record):
            entry = dated(entry, record, context)
        # In lines, only the error view and the detail of one request show the code that made it.
        return _without_trifles(evolve(entry, at=None)) if context.form == "lines" else entry

    reserved = len(wire.encode([static, wire.dump(under_way)])) + _STATIC_WORDS
    page = fill_page(chosen, args, show, form=context.form, reserved=reserved)
    window.mark_shown(page.seqs)
    outcomes = Counter[str](record.outcome for record in chosen)
    summary = summarise("request", chosen, outcomes)
    if static:
        summary += f" +{_counted(static)} (include_static)."
    if early := sum(record.before_attach for record in chosen):
        summary += f" {early} from before the tab was watched (before_attach): no method, headers or bodies."
    return make_listing(
        page,
        summary + window.note,
        context.telemetry.network.dropped,
        static=dict(static),
        pending=under_way,
        pending_left_out=len(pending) - len(under_way) if args.cursor is None else 0,
    )


def _without_trifles(entry: NetworkEntry) -> NetworkEntry:
    """A redirect has no content: in lines its size says nothing, and its time only if it was long."""
    if entry.outcome != "redirect":
        return entry
    slow = entry.duration_ms is not None and entry.duration_ms >= _SLOW_REDIRECT_MS
    return evolve(entry, bytes=0, duration_ms=entry.duration_ms if slow else None)


def _counted(static: Counter[str]) -> str:
    own = static["browser"]
    assets = sum(static.values()) - own
    parts = [f"{assets} static"] if assets else []
    return ", ".join([*parts, f"{number_of(own, 'request')} of the browser's own"] if own else parts)


def want_initiator(request_id: str, context: Context) -> None:
    """Look up the source location of the code that made a request."""
    for record in context.telemetry.network.newest():
        if record.id == request_id:
            for tab in context.tabs.open():
                if tab.tab_id == record.source.tab_id:
                    context.capture.source_maps.wanted(record, tab.session)
            return


def _one_request(args: ObserveArgs, context: Context) -> NetworkDetail:
    for record in (*context.capture.pending_requests(), *context.telemetry.network.newest()):
        if record.id == args.request_id:
            return _fitted(show_network_detail(context.telemetry.known(record)), budget_of(args))
    raise GasolineError(
        Code.NO_SUCH_REQUEST,
        f"No request {(args.request_id or '')[:40]!r} is in the buffer (it holds the newest {limits.NETWORK_ENTRIES}). "
        "observe(what='network') lists them with their ids.",
    )


def _fitted(detail: NetworkDetail, budget: int) -> NetworkDetail:
    """Cut long header values until the answer fits."""
    for chars in _HEADER_CHARS:
        if len(wire.encode(wire.dump(detail))) <= budget:
            break
        sent, received = (
            {name: value if len(value) <= chars else f"{value[:chars]}…" for name, value in headers.items()}
            for headers in (detail.request_headers, detail.response_headers)
        )
        detail = evolve(detail, request_headers=sent, response_headers=received)
    return detail
