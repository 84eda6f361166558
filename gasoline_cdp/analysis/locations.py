"""Builds the location of a finding, with the parts that stay the same when the page is loaded again elsewhere."""

from attrs import evolve

from gasoline_cdp.analysis.normalise import endpoint_of
from gasoline_cdp.analysis.performance.loads import path_of
from gasoline_cdp.findings import Finding, Location, SourceLocation
from gasoline_cdp.records import LogRecord, NetworkRecord
from gasoline_cdp.sightings import SightingLocation


def on_page(finding: Finding, url: str) -> Finding:
    """A finding about a whole page, or about elements of it; the first element is named."""
    selector = str(next(iter(finding.affected), {}).get("selector") or "")
    return evolve(finding, location=evolve(finding.location, page=url, path=path_of(url), selector=selector))


def page_url_of(record: NetworkRecord) -> str:
    """The page that a request belongs to. A document is its own page, whatever the tab showed before."""
    return record.url if record.type == "Document" else record.source.url


def of_request(method: str, url: str, page_url: str = "", name: str = "") -> Location:
    """A call. Without a method: something loaded from an address, or sent through a socket."""
    return Location(
        page=page_url,
        path=path_of(page_url) if page_url else "",
        url=url,
        method=method,
        endpoint=endpoint_of(method, url).strip(),
        name=name,
    )


def of_sighting(location: SightingLocation, name: str = "") -> Location:
    """Where a secret or personal data was seen."""
    if location.kind == "websocket":
        # Keyed by direction. Using the page shows it again: nobody calls a message.
        return evolve(of_request(location.method, location.url, location.page_url, name), method="")
    source = SourceLocation(url=location.script_url, line=location.line) if location.script_url else None
    return evolve(of_request(location.method, location.url, location.page_url, name), source=source)


def of_log(record: LogRecord) -> Location:
    """The page that logged something, and the line. The key uses the page: lines and bundle names change."""
    return evolve(of_request("", record.source.url, record.source.url), source=source_of(record))


def source_of(record: LogRecord) -> SourceLocation | None:
    """The line that logged something, if code did."""
    frame = record.logging_frame
    # A script without an address is one that a test or an assistant ran: its lines are nobody's.
    return SourceLocation(url=frame.url, line=frame.line, column=frame.column) if frame and frame.url else None
