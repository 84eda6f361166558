"""The captured traffic as audits read it, and notes about what they could not see."""

from collections.abc import Collection

from attrs import evolve

from gasoline_cdp.analysis.security.audit import Traffic
from gasoline_cdp.analysis.security.checks import Check
from gasoline_cdp.answers.paging import ListingArgs, matches
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.record_filters import is_named
from gasoline_cdp.probe.site_data import try_policies, try_storage_keys

_TABS_ASKED = 5
LOCAL_NOTE = "localhost is treated as development: transport, HSTS and Secure cookies are not judged there."


def traffic_of(
    args: ListingArgs,
    context: Context,
    *,
    since: float = 0.0,
) -> Traffic:
    """The captured records of the requested tab and URLs, since a time."""
    telemetry = context.telemetry
    return Traffic(
        network=[
            record
            for record in telemetry.network.newest()
            # A mock's answer says nothing of a server.
            if not record.mocked and record.ts >= since and matches(record, args, record.url)
        ],
        logs=[record for record in telemetry.logs.newest() if record.ts >= since and matches(record, args)],
        sockets=[
            record for record in telemetry.sockets.newest() if record.ts >= since and matches(record, args, record.url)
        ],
        sightings=[
            sighting
            for sighting in telemetry.sightings.newest()
            if sighting.last_ts >= since
            and args.tab_id in (None, sighting.location.tab_id)
            and is_named(args.url_filter, sighting.location.url, sighting.location.page_url)
        ],
    )


async def with_pages(
    traffic: Traffic,
    args: ListingArgs,
    context: Context,
    checks: Collection[Check],
    tab_ids: Collection[int] | None = None,
) -> Traffic:
    """Add what only open pages know: storage key names by origin, and policies in <meta> elements by loader."""
    storage: dict[str, tuple[list[str], list[str]]] = {}
    policies: dict[str, tuple[str, ...]] = {}
    tabs = [
        tab
        for tab in context.tabs.open()
        if args.tab_id in (None, tab.tab_id)
        and (tab_ids is None or tab.tab_id in tab_ids)
        and tab.raw_url.startswith("http")
        and is_named(args.url_filter, tab.source.url)
    ]
    for tab in tabs[:_TABS_ASKED]:
        if "credentials" in checks and (keys := await try_storage_keys(tab)) is not None:
            storage[keys.origin] = keys.local, keys.session
        loader_id = tab.loader_id
        if "headers" in checks and loader_id and (in_page := await try_policies(tab)) is not None:
            policies[loader_id] = in_page
    return evolve(traffic, storage=storage, meta_policies=policies)


def body_notes(context: Context) -> list[str]:
    """Notes about bodies that were not read."""
    bodies = context.capture.bodies
    notes = []
    if bodies.mode == "off":
        notes.append("Bodies are not read (--bodies off): what they hold is not judged.")
    if unread := bodies.inspection.unread:
        notes.append(f"{unread} answers were too large or too many at once, and were not read.")
    return notes
