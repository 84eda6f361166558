"""Whatever is reported of a page's vitals: nothing raises, memory stays bounded, and the answers can be sent."""

import json
from typing import Any

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gasoline_cdp import wire
from gasoline_cdp.capture.sources import SessionSources
from gasoline_cdp.cdp.targets import Target
from gasoline_cdp.cdp.world import REPORT
from gasoline_cdp.operations.context import Context
from gasoline_cdp.views.listing import ObserveArgs
from gasoline_cdp.views.performance import show_performance, show_vitals
from tests.fakes import make_context, quiet_session

TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=12)
NUMBER = st.integers() | st.floats() | st.sampled_from([0, 0.1, 1e9, 1e10, 2**64, 10**400])
SCALAR = st.none() | st.booleans() | NUMBER | TEXT
JSON = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)


def shaped(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with the names that we use, and often something else behind a name."""
    mixed = {name: strategy | JSON for name, strategy in fields.items()}
    return st.fixed_dictionaries(mixed) | st.fixed_dictionaries({}, optional=mixed)


SCRIPT = shaped(url=TEXT, function=TEXT, invoker=TEXT, duration=NUMBER, start=NUMBER)
PHASES = shaped(time_to_first_byte=NUMBER, input_delay=NUMBER, dns_duration=NUMBER)
ELEMENT = shaped(target=TEXT, tag=TEXT)
SHIFT = shaped(value=NUMBER, time=NUMBER, elements=st.lists(ELEMENT, max_size=3))
METRIC = shaped(
    value=NUMBER, target=TEXT, tag=TEXT, url=TEXT, time=NUMBER, phases=PHASES, script=SCRIPT, shifts=st.lists(SHIFT)
)
TASKS = shaped(
    count=NUMBER,
    total_blocking_time=NUMBER,
    longest=NUMBER,
    entries=st.lists(shaped(start=NUMBER, duration=NUMBER, script=SCRIPT), max_size=3),
)
REPORTED = shaped(
    kind=st.sampled_from(["vitals", "performance"]),
    page=st.sampled_from(["p.1", "p.2"]),
    soft=st.booleans(),
    type=TEXT,
    url=TEXT | st.just("http://app.test/cart?a#b"),
    document=TEXT,
    hidden=st.booleans(),
    metrics=shaped(FCP=METRIC, LCP=METRIC, CLS=METRIC, INP=METRIC, TTFB=METRIC),
    long_tasks=TASKS,
    timing=shaped(load=NUMBER, dom_interactive=NUMBER, dom_content_loaded=NUMBER),
    since=NUMBER,
    until=NUMBER,
)


def open_tab(context: Context) -> SessionSources:
    target = Target(target_id="T", kind="page", url="http://app.test/", title="", opener_id="", browser_context_id="")
    tab = context.tabs.opened(quiet_session(), target, seen_from_start=True)
    return SessionSources(lambda: tab.source, "T")


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(REPORTED | JSON, max_size=4), st.sampled_from([None, 2048, 8192]))
def test_any_report_leaves_the_capture_alive_and_its_answers_sendable(
    reports: list[Any], max_bytes: int | None
) -> None:
    context = make_context()
    sources = open_tab(context)
    session = quiet_session()
    for reported in reports:
        # As the binding carries it: the text of some JSON.
        context.capture._reported(session, sources, {"name": REPORT, "payload": json.dumps(reported)})
    context.capture._reported(session, sources, {"name": REPORT, "payload": "no JSON {"})
    args = ObserveArgs(what="vitals", max_bytes=max_bytes)
    for answer in (show_vitals(args, context), show_performance(args, context)):
        sent = wire.encode(wire.dump(answer))
        assert orjson.loads(sent)
        assert len(sent) <= (max_bytes or 8192)
