"""Where a secret was masked or personal data was seen, for the audits. Never the value itself."""

from typing import Literal

from attrs import define, field, frozen

from gasoline_cdp.redact import MaskedSecret

LocationKind = Literal[
    "url", "request_header", "request_body", "response_header", "response_body", "console", "websocket"
]


@frozen(kw_only=True)
class SightingLocation:
    """Where something was seen. Sightings are grouped by `endpoint`."""

    kind: LocationKind
    # GET /users/:id, the address of a socket, or file and line of a console call.
    endpoint: str
    url: str
    page_url: str
    tab_id: int
    method: str = ""
    status: int | None = None
    level: str = ""
    authenticated: bool = False
    # For a console call: its script, if known, and the line.
    script_url: str = ""
    line: int = 0


@define
class Sighting:
    """Secrets of one kind and name at a location, or a kind of personal data (then without evidence)."""

    location: SightingLocation
    kind: str
    personal: bool
    masked: MaskedSecret | None
    # Personal data that looks made up for a test.
    mock: bool
    count: int
    first_ts: float
    last_ts: float
    # Fingerprints of the distinct values, at most `limits.VALUES_TOLD_APART`.
    fingerprints: set[str] = field(factory=set)
