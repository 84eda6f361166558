"""What the export says of a browser and of a test."""

from attrs import evolve

from gasoline_cdp import __version__
from gasoline_cdp.browser.status import BrowserStatus
from gasoline_cdp.operations.export_use import make_export, resource_of
from gasoline_cdp.otel.signals import Origin
from tests.fakes import PAGE, make_context, network_record


def test_a_resource_names_browser_test_and_commit() -> None:
    browser = BrowserStatus(version="Chrome/145.0.7204.0")
    assert resource_of(Origin("b2", "checkout > pays"), browser, "1" * 40) == {
        "telemetry.distro.name": "gasoline-cdp",
        "telemetry.distro.version": __version__,
        "user_agent.name": "Chrome",
        "user_agent.version": "145.0.7204.0",
        "gasoline.browser.id": "b2",
        "test.case.name": "checkout > pays",
        "vcs.ref.head.revision": "1" * 40,
    }
    assert set(resource_of(Origin(), None, "")) == {"telemetry.distro.name", "telemetry.distro.version"}


def test_a_signal_belongs_to_the_test_that_named_its_context() -> None:
    context = make_context()
    export = make_export(context, "http://backend.test", [])
    source = evolve(PAGE, context_id="C1")
    context.boundaries.mark("checkout", "start", 1.0, context=("b1", "C1"))
    with export.listening():
        context.telemetry.add(network_record(1, source=source))
        context.telemetry.add(network_record(2))
    assert [one.origin for one in export.take()] == [Origin("b1", "checkout"), Origin("b1", "")]
