"""The same finding has the same key after a reload, on another port and in another run; another one has another."""

from typing import Any

import pytest

from gasoline_cdp.analysis.contracts.contract import Contract
from gasoline_cdp.analysis.locations import of_log, of_request, of_sighting, on_page, page_url_of, source_of
from gasoline_cdp.analysis.security.audit import Traffic, audit
from gasoline_cdp.analysis.security.checks import CHECKS
from gasoline_cdp.findings import Finding, SourceLocation
from gasoline_cdp.records import LogRecord, NetworkRecord, Source, StackFrame
from gasoline_cdp.redact import collect_masked, safe_url
from gasoline_cdp.sightings import Sighting, SightingLocation
from tests.fakes import network_record

KEY = "AKIA" + "Z7XQJ5KLMNOPQRST"
CARD = "4539 1488 0343 6467"
PAGE_FINDING = Finding(rule="missing_csp", severity="high", category="headers", title="No policy")


def source_at(origin: str) -> Source:
    return Source(1, "page", f"{origin}/cart", 1, "T1")


def request(origin: str, path: str, **changes: Any) -> NetworkRecord:
    return network_record(1, f"{origin}{path}", **{"source": source_at(origin), **changes})


def log(origin: str, text: str, line: int = 3) -> LogRecord:
    frame = StackFrame("pay", f"{origin}/assets/app-3f2a91bc.js", line, 1)
    return LogRecord(seq=1, ts=1.0, source=source_at(origin), kind="console", level="log", text=text, frames=(frame,))


def sighting(origin: str, kind: str, **place: Any) -> Sighting:
    with collect_masked() as masked:
        safe_url(f"{origin}/pay?key={KEY}")
    given = {"endpoint": "GET /orders/:id", "url": f"{origin}/orders/7", "method": "GET", **place}
    where = SightingLocation(kind=kind, page_url=f"{origin}/cart", tab_id=1, **given)  # type: ignore[arg-type]
    return Sighting(where, masked[0].kind, personal=False, masked=masked[0], mock=False, count=1, first_ts=1, last_ts=1)


def traffic(origin: str, order: str, line: int) -> Traffic:
    """A page that does most things wrong."""
    return Traffic(
        network=[
            request(origin, "/cart", type="Document", response_headers={"set-cookie": "session=[REDACTED]; Path=/"}),
            request(origin, f"/orders/{order}", type="Fetch", response_headers={
                "access-control-allow-origin": "null", "access-control-allow-credentials": "true",
            }),
        ],
        logs=[log(origin, f"card {CARD}", line)],
        sightings=[
            sighting(origin, "url", url=f"{origin}/orders/{order}?key=[REDACTED]"),
            sighting(origin, "response_body", url=f"{origin}/orders/{order}"),
            sighting(origin, "console", endpoint=f"app.js:{line}", url=f"{origin}/cart", method=""),
            sighting(origin, "websocket", endpoint="WS /live", url=f"{origin}/live", method="outgoing"),
        ],
        storage={origin: (["auth_token"], ["auth_token"])},
    )  # fmt: skip


def test_keys_stay_after_a_reload_and_on_another_port() -> None:
    before = list(audit(traffic("http://localhost:5173", "17", 3), CHECKS))
    after = list(audit(traffic("http://localhost:4000", "99", 40), CHECKS))
    assert [one.key for one in before] == [one.key for one in after]
    assert len({one.key for one in before}) == len(before) > 10
    assert {one.category for one in before} == {"credentials", "pii_exposure", "headers", "cookies"}
    assert not [one.key for one in before if "localhost" in one.key or "17" in one.key or ".js" in one.key]


def test_breaks_of_a_contract_are_told_apart_by_their_field() -> None:
    made = Contract(endpoint="GET /users/:id", method="GET", path="/users/:id", origin="http://localhost:1")
    for value in [{"id": 1, "age": 2}] * 4 + [{"id": "x", "age": "y"}]:
        made.observe(200, value, 1.0)
    assert [one.key for one in made.violations()] == [
        "type_change GET /users/:id id",
        "type_change GET /users/:id age",
    ]


def test_what_is_wrong_with_a_page_has_one_key_on_all_pages_and_a_path_on_each() -> None:
    one, other = (on_page(PAGE_FINDING, f"https://shop.io{path}") for path in ("/cart", "/pay?x=1"))
    assert one.key == other.key == "missing_csp"
    assert (one.location.path, other.location.path) == ("/cart", "/pay")


def test_the_first_element_is_named() -> None:
    found = Finding(
        rule="image-alt", severity="high", category="accessibility", title="No text", affected=[{"selector": "img"}]
    )
    assert on_page(found, "https://shop.io/").location.selector == "img"


@pytest.mark.parametrize(
    ("kind", "method", "shown_by_call"),
    [("url", "GET", True), ("response_body", "POST", True), ("websocket", "outgoing", False), ("console", "", False)],
)
def test_only_calls_have_a_method(kind: str, method: str, *, shown_by_call: bool) -> None:
    place = sighting("http://localhost:1", kind, method=method).location
    assert bool(of_sighting(place).method) is shown_by_call


def test_a_line_that_logged() -> None:
    record = log("http://localhost:1", "hello", 12)
    assert source_of(record) == SourceLocation(url="http://localhost:1/assets/app-3f2a91bc.js", line=12, column=1)
    assert of_log(record).endpoint == of_log(log("http://localhost:2", "hello", 13)).endpoint == "/cart"


def test_a_document_is_its_own_page() -> None:
    assert page_url_of(request("http://a.io", "/new", type="Document")) == "http://a.io/new"
    assert page_url_of(request("http://a.io", "/api", type="Fetch")) == "http://a.io/cart"


def test_without_a_page_there_is_no_path() -> None:
    assert of_request("GET", "http://a.io/x").path == ""
