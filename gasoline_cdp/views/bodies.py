"""The view `network_bodies`: bodies of requests and responses."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from attrs import evolve, frozen

from gasoline_cdp import limits, wire
from gasoline_cdp.answers.body_entries import BodyEntry, body_resource, show_body
from gasoline_cdp.answers.lines import AnswerForm, Line, note, without_repeats
from gasoline_cdp.answers.paging import ListingArgs, Page, fill_page, matches, start_of
from gasoline_cdp.answers.shared_facts import SharedFacts
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.record_filters import record_filter
from gasoline_cdp.records import BodyRecord
from gasoline_cdp.store.boundaries import RecordFilter
from gasoline_cdp.views.listing import ObserveArgs, SinceArgs, rest_lines, view_window

# Body lengths to try until all bodies of a listing fit: one large body must not push out the others.
_LISTED_CHARS = (12_000, 7000, 5000, 3500, 2500, 1500)


@frozen(kw_only=True)
class BodiesArgs(SinceArgs):
    """Arguments of get_network_bodies."""

    method: str | None = wire.arg("Include only this HTTP method.", default=None)
    status_min: int | None = wire.arg("Lowest status to include.", default=None, minimum=0, maximum=999)
    status_max: int | None = wire.arg("Highest status to include.", default=None, minimum=0, maximum=999)
    request_id: str | None = wire.arg("id of one request, from observe network", default=None)
    full_body: bool = wire.arg("With request_id: read the whole body from Chrome.", default=False)
    output: str | None = wire.arg("with request_id: write whole bodies to this file (--artifacts)", default=None)


@frozen(kw_only=True)
class BodiesAnswer:
    """Bodies, newest first. `dropped` counts those that memory could not keep. `output`: the file of a whole body."""

    summary: str
    entries: list[Any] = wire.entries_of(BodyEntry)
    total: int
    dropped: int
    left_out: int = 0
    cursor: str | None = None
    # Files that whole bodies were written to.
    output: str | None = None
    request_output: str | None = None
    # The one that was asked for, with nothing missing: there is nothing to summarise.
    one: bool = wire.internal(False)
    # How the measured lines were written.
    shared: SharedFacts | None = wire.internal(None)
    text_chars: int = wire.internal(limits.LINE_TEXT_CHARS)

    def render(self) -> Iterator[Line]:
        """The summary, each request with its bodies, and how to get the rest."""
        entries: list[BodyEntry] = [wire.typed(entry) for entry in self.entries]
        if self.one:
            # Whoever has its id has been told its tab.
            shared = SharedFacts(tab_id=entries[0].tab_id)
        else:
            shared = self.shared or SharedFacts.of(entries)
            yield Line(" ".join(filter(None, (self.summary, shared.heading()))), tone="heading")
        yield from without_repeats(line for entry in entries for line in entry.lines(shared, self.text_chars))
        if self.cursor and not self.left_out:
            yield note(f'the rest of the body: cursor="{self.cursor}"')
        yield from rest_lines(self.left_out, self.cursor, self.dropped)


def list_bodies(args: ObserveArgs | BodiesArgs, context: Context) -> BodiesAnswer:
    """The matching bodies, for `observe` and `get_network_bodies`."""
    wanted = args if isinstance(args, BodiesArgs) else BodiesArgs()
    one = getattr(args, "request_id", None)
    of_test = record_filter(args) if isinstance(args, ObserveArgs) else RecordFilter()
    window = view_window("network_bodies", args.since, of_test, args.tab_id, context)
    chosen = [
        record
        for record in context.telemetry.bodies.newest(start_of(args.cursor))
        if record in window and matches(record, args, record.url) and _fits(record, wanted) and one in (None, record.id)
    ]
    generous = one is not None or args.max_bytes is not None
    page = _fill(chosen, args, () if generous else _LISTED_CHARS, context.form)
    window.mark_shown(page.seqs)
    mode = context.capture.bodies.mode
    kept = {
        "off": "Body capture is off (--bodies off): a person can restart with --bodies errors or all.",
        "errors": "Only bodies of failed requests are kept (--bodies all keeps every one).",
        "all": "",
    }[mode]
    if one is not None and page.total:
        # Whoever asked for one body, and gets it, need not know which others are kept.
        kept = ""
    waiting = len(context.capture.bodies.backlog)
    underway = f" {waiting} more {'is' if waiting == 1 else 'are'} being read." if waiting else ""
    return BodiesAnswer(
        summary=f"{page.total} with bodies. {kept}".strip() + underway + window.note,
        entries=page.entries,
        total=page.total,
        dropped=context.telemetry.bodies.dropped + context.capture.bodies.skipped,
        left_out=page.left_out,
        cursor=page.cursor,
        one=one is not None and page.total == 1 and not page.left_out and not window.note,
        shared=page.shared,
        text_chars=page.text_chars,
    )


def _fill(chosen: list[BodyRecord], args: ListingArgs, steps: Sequence[int], form: AnswerForm) -> Page:
    """A page with the longest bodies with which all entries fit, but no shorter than the last step."""
    page = fill_page(chosen, args, lambda record: _show(record, limits.RESPONSE_BODY_BYTES), form=form)
    for chars in steps:
        if not page.left_out and not any(isinstance(entry, dict) and entry.get("shortened") for entry in page.entries):
            break
        page = fill_page(chosen, args, partial(_show, limit=chars), form=form)
    return page


def _fits(record: BodyRecord, args: BodiesArgs) -> bool:
    status = record.status or 0
    return (
        (args.method is None or record.method == args.method.upper())
        and (args.status_min is None or status >= args.status_min)
        and (args.status_max is None or status <= args.status_max)
    )


def _show(record: BodyRecord, limit: int) -> BodyEntry:
    entry = show_body(record)
    for name in ("requestBody", "responseBody"):
        text = getattr(entry, name)
        if text is not None and len(text) > limit:
            resource = body_resource(record.id, sent=name == "requestBody")
            entry = evolve(entry, **{name: text[:limit]}, truncated=True, resource=resource)
    return entry
