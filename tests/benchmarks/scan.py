"""What looking for secrets and learning shapes costs: a full buffer, and each request, beside doing neither."""

import argparse
import json
import random
import string
import time
from collections.abc import Callable, Sequence
from unittest.mock import patch

from rich.console import Console
from rich.table import Table

from gasoline_cdp.analysis.contracts.contract import Contract
from gasoline_cdp.capture.inspection import Inspection
from gasoline_cdp.capture.network import NetworkTracker
from gasoline_cdp.capture.pending_request import PendingRequest
from gasoline_cdp.detect.pii import find_pii
from gasoline_cdp.detect.scan import find
from gasoline_cdp.records import Source
from gasoline_cdp.redact import collect_masked, safe_body
from gasoline_cdp.store.telemetry import Telemetry

LOGS, BODIES, REQUESTS = 1000, 100, 2000
_SOURCE = Source(1, "page", "https://app.test/", 1, "T")


def _word(chance: random.Random) -> str:
    return "".join(chance.choices(string.ascii_lowercase, k=chance.randint(3, 9)))


def make_rows(chance: random.Random) -> list[dict[str, object]]:
    """A list as an API answers it."""
    return [
        {
            "id": chance.randint(1, 10**6), "name": _word(chance), "key": _word(chance), "token_count": 3,
            "url": f"https://app.test/{_word(chance)}", "tags": [_word(chance)], "at": "2026-01-01T10:00:00Z",
        }
        for _ in range(20)
    ]  # fmt: skip


def make_body(chance: random.Random, size: int) -> str:
    """JSON as an API answers it."""
    rows: list[dict[str, object]] = []
    while len(json.dumps(rows)) < size:
        rows += make_rows(chance)
    return json.dumps(rows)[:size]


def _cpu(work: Callable[[], object], rounds: int = 3) -> float:
    best = float("inf")
    for _ in range(rounds):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best


def full_buffer() -> float:
    """CPU seconds to search 1,000 logs and 100 bodies of 16 KB for secrets and personal data."""
    chance = random.Random(1)
    logs = [
        f"Loaded {n} items of {_word(chance)} from https://api.test/v1/{_word(chance)}?page={n}" for n in range(LOGS)
    ]
    bodies = [make_body(chance, 16 * 1024) for _ in range(BODIES)]

    def search() -> None:
        for text in (*logs, *bodies):
            find(text)
            list(find_pii(text[:10_240]))

    return _cpu(search)


def requests(*, scanning: bool) -> float:
    """CPU seconds to track, redact and store requests with an answer of 2 KB each; or the same without the search."""
    chance = random.Random(2)
    body = make_body(chance, 2048).rpartition("}, {")[0] + "}]"
    headers = {"accept": "*/*", "user-agent": "Mozilla/5.0 (X11; Linux x86_64)", "content-type": "application/json"}

    def run() -> None:
        telemetry = Telemetry()
        inspection = Inspection(telemetry)

        def finished(pending: PendingRequest) -> None:
            record = pending.record(telemetry.next_seq())
            telemetry.add(record)
            if scanning:
                inspection.sent(pending, record, bodies=True)
            with collect_masked() as masked:
                safe_body(body, 16 * 1024)
            if scanning:
                inspection.answered(record, None, body, masked)

        tracker = NetworkTracker(finished)
        for number in range(REQUESTS):
            request_id = str(number)
            url = f"https://api.test/users/{number}?page=2"
            tracker.request(
                {
                    "requestId": request_id, "timestamp": float(number), "wallTime": 1e9 + number, "type": "Fetch",
                    "request": {"url": url, "method": "GET", "headers": headers},
                },
                _SOURCE,
                None,
            )  # fmt: skip
            response = {"status": 200, "mimeType": "application/json", "headers": headers}
            tracker.response({"requestId": request_id, "response": response, "type": "Fetch"}, None)
            tracker.loaded({"requestId": request_id, "timestamp": float(number)})

    if scanning:
        return _cpu(run)
    with patch("gasoline_cdp.redact.find", lambda *_: []):
        return _cpu(run)


def learning() -> float:
    """CPU seconds to learn 100 answers of 16 KB."""
    chance = random.Random(3)
    values = [json.loads(make_body(chance, 16 * 1024).rpartition("}, {")[0] + "}]") for _ in range(BODIES)]

    def learn() -> None:
        contract = Contract(endpoint="GET /x", method="GET", path="/x")
        for number, value in enumerate(values):
            contract.observe(200, value, float(number))

    return _cpu(learn)


def main(arguments: Sequence[str]) -> int:
    """Print what it costs, and the goals."""
    argparse.ArgumentParser(prog="launcher/run bench scan", description=__doc__).parse_args(arguments)
    buffer, with_scan, without = full_buffer(), requests(scanning=True), requests(scanning=False)
    table = Table("what", "CPU", "goal")
    table.add_row(f"{LOGS} logs and {BODIES} bodies of 16 KB searched", f"{buffer * 1000:.0f} ms", "300 ms")
    table.add_row("a request captured, without searching", f"{without / REQUESTS * 1000:.3f} ms", "")
    table.add_row("a request captured, searched and learned", f"{with_scan / REQUESTS * 1000:.3f} ms", "")
    table.add_row("searching and learning, a request", f"{(with_scan - without) / REQUESTS * 1000:.3f} ms", "1 ms")
    table.add_row(f"{BODIES} answers of 16 KB learned", f"{learning() * 1000:.0f} ms", "")
    Console().print(table)
    return 0
