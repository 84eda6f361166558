"""Audits for gates and reports: the open pages by axe-core, and the traffic, of one test or of a whole run."""

from collections.abc import Callable, Iterable
from functools import partial

from gasoline_cdp import limits
from gasoline_cdp.analysis.security.audit import Traffic, audit
from gasoline_cdp.analysis.security.checks import CHECKS
from gasoline_cdp.answers.paging import ListingArgs
from gasoline_cdp.audits.axe_runs import in_turn, run_axe, when_loaded
from gasoline_cdp.audits.traffic import traffic_of, with_pages
from gasoline_cdp.cdp.tabs import Tab
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.findings import Finding
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.record_filters import settle_bodies
from gasoline_cdp.probe.accessibility import AxeRequest
from gasoline_cdp.store.boundaries import Happened

Selects = Callable[[Happened], bool]


async def audit_pages(context: Context, tabs: Iterable[Tab]) -> list[str]:
    """Audit open pages one after the other. Returns why some could not be audited."""
    problems = []
    for tab in tabs:
        if not tab.raw_url.startswith(("http://", "https://", "file://")) or tab.state != "open":
            continue
        try:
            await in_turn(context, tab, limits.ACCESSIBILITY_TOOL_SECONDS, partial(_audit, context, tab))
        except GasolineError as error:
            problems.append(f"{tab.source.url} ({error.code.value})")
    return problems


async def _audit(context: Context, tab: Tab) -> None:
    await when_loaded(tab)
    await run_axe(context, tab, AxeRequest(), fresh=limits.ACCESSIBILITY_FRESH_SECONDS, force_refresh=False)


async def audit_traffic(context: Context) -> None:
    """Audit all captured traffic, if there is any. Earlier findings stay: memory may have lost their records."""
    await settle_bodies(context)
    traffic = await with_pages(traffic_of(ListingArgs(), context), ListingArgs(), context, CHECKS)
    if traffic.seen:
        context.audit_findings.join_traffic(tuple(audit(traffic, CHECKS)))


async def audit_traffic_of(context: Context, selects: Selects) -> list[Finding]:
    """The findings in the traffic of a test. A secret belongs to the test by the tab in which it was seen."""
    await settle_bodies(context)
    every = traffic_of(ListingArgs(), context)
    network = [record for record in every.network if selects(record)]
    logs = [record for record in every.logs if selects(record)]
    sockets = [record for record in every.sockets if selects(record)]
    tab_ids = {record.source.tab_id for record in (*network, *logs, *sockets)}
    sightings = [one for one in every.sightings if one.location.tab_id in tab_ids]
    traffic = Traffic(network=network, logs=logs, sockets=sockets, sightings=sightings)
    return list(audit(await with_pages(traffic, ListingArgs(), context, CHECKS, tab_ids), CHECKS))
