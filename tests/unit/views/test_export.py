"""The export as `status` describes it."""

from attrs import evolve

from gasoline_cdp.operations.export_use import make_export
from gasoline_cdp.otel.signals import Outcome
from gasoline_cdp.views.export import export_status
from tests.fakes import make_context, network_record


def test_nothing_is_said_without_an_export() -> None:
    assert export_status(make_context()) is None


def test_status_counts_and_hides_the_headers() -> None:
    context = make_context()
    export = make_export(context, "http://backend.test", [("Authorization", "Bearer quite-secret")])
    context = evolve(context, export=export)
    with export.listening():
        context.telemetry.add(network_record(1))
    status = export_status(context)
    assert status is not None
    assert str(status.line()) == "export to http://backend.test: 0 sent, 1 waiting, 0 dropped"
    export.note(Outcome(3, 2, "logs: HTTP status 404"))
    status = export_status(context)
    assert status is not None
    text = str(status.line())
    assert (
        text.strip()
        == "export to http://backend.test: 3 sent, 1 waiting, 2 dropped; not accepted: logs: HTTP status 404"
    )
    assert "secret" not in repr(status) + text
