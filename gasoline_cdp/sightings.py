"""Where a secret was masked or personal data seen, as the audits need it: never the value itself."""

from typing import Literal

from attrs import define, field, frozen

from gasoline_cdp.redact import MaskedSecret

PlaceKind = Literal["url", "request_header", "request_body", "response_header", "response_body", "console", "websocket"]


@frozen(kw_only=True)
class Place:
    """Where something was seen: `endpoint` is what sightings are grouped by."""

    kind: PlaceKind
    # GET /users/:id, the address of a socket, or file and line of a console call.
    endpoint: str
    url: str
    page_url: str
    tab_id: int
    method: str = ""
    status: int | None = None
    level: str = ""
    authenticated: bool = False
    # Of a console call: its script, where one is known, and the line in it.
    script_url: str = ""
    line: int = 0


@define
class Sighting:
    """Secrets of one kind and name at a place, or a kind of personal data (then without evidence)."""

    place: Place
    kind: str
    personal: bool
    masked: MaskedSecret | None
    # Personal data that looks made up for a test.
    mock: bool
    count: int
    first_ts: float
    last_ts: float
    # Of the different values: at most `limits.VALUES_TOLD_APART` of them.
    fingerprints: set[str] = field(factory=set)
