"""The views `actions` and `dom_snapshots`: what users did, and what pages showed afterwards."""

from collections import Counter

from gasoline_cdp.answers.action_entries import show_action, show_dom_snapshot
from gasoline_cdp.answers.paging import fill_page, in_time, matches
from gasoline_cdp.operations.context import Context
from gasoline_cdp.views.listing import Listing, ObserveArgs, make_listing, time_window_of
from gasoline_cdp.views.summaries import summarise


def list_actions(args: ObserveArgs, context: Context) -> Listing:
    """User actions, newest first by their own time: some are recorded late, such as typing when it ends."""
    window = time_window_of(args, context)
    chosen = [
        record
        for record in in_time(context.telemetry.actions.newest(), args.cursor)
        if record in window and matches(record, args, *_addresses(record.fields))
    ][: args.last_n_actions]
    page = fill_page(chosen, args, lambda record: show_action(context.telemetry.known(record)), form=context.form)
    window.mark_shown(page.seqs)
    types = Counter[str](record.type for record in chosen)
    return make_listing(page, summarise("action", chosen, types) + window.note, context.telemetry.actions.dropped)


def list_dom_snapshots(args: ObserveArgs, context: Context) -> Listing:
    """What pages showed after they loaded or changed their URL."""
    window = time_window_of(args, context)
    chosen = [
        record
        for record in in_time(context.telemetry.dom_snapshots.newest(), args.cursor)
        if record in window and matches(record, args)
    ]
    page = fill_page(chosen, args, show_dom_snapshot, form=context.form)
    window.mark_shown(page.seqs)
    triggers = Counter[str](f"after {record.trigger}" for record in chosen)
    summary = summarise("snapshot", chosen, triggers) + window.note
    return make_listing(page, summary, context.telemetry.dom_snapshots.dropped)


def _addresses(fields: dict[str, object]) -> list[str]:
    return [str(fields[name]) for name in ("from_url", "to_url", "action") if name in fields]
