"""Where a person has the captured data sent: what is accepted, and that nothing typed is repeated in an error."""

import importlib.util
from typing import Any

import pytest

from gasoline_cdp.config import ExportOptions
from gasoline_cdp.frontends import export_options
from gasoline_cdp.frontends.invocation import UsageError
from gasoline_cdp.frontends.local.client_registry import not_applied
from gasoline_cdp.frontends.options import config_of, parse

_SECRET = "Bearer sk_live_4eC39HqLyjWDarjtT1zdp7dc"


def export_of(*arguments: str, command: str = "launch") -> ExportOptions:
    more = ["--", "true"] if command == "ci" else []
    return config_of(parse([command, *arguments, *more])).export


@pytest.mark.parametrize("command", ["launch", "attach", "mcp", "ci"])
def test_each_command_with_a_daemon_takes_an_endpoint(command: str) -> None:
    given = ("--otlp-endpoint", "https://otel.test:4318/base/", "--otlp-header", f"Authorization: {_SECRET}")
    export = export_of(*given, command=command)
    assert export.otlp_endpoint == "https://otel.test:4318/base"
    assert export.otlp_header == (("Authorization", _SECRET),)
    assert _SECRET not in repr(export)


@pytest.mark.parametrize("command", ["launch", "attach", "mcp", "ci"])
def test_nothing_is_sent_unless_asked_for(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    assert export_of(command=command) == ExportOptions()


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("localhost:4318", "such as http://localhost:4318"),
        ("grpc://localhost:4317", "such as http://localhost:4318"),
        ("http://", "such as http://localhost:4318"),
        ("http://localhost:99999", "such as http://localhost:4318"),
        ("http://localhost\n:4318", "such as http://localhost:4318"),
        (f"http://user:{_SECRET.split()[1]}@localhost:4318", "neither a user name nor a query"),
        (f"http://localhost:4318?key={_SECRET.split()[1]}", "neither a user name nor a query"),
        ("http://localhost:4318/v1/traces", "without /v1/traces"),
    ],
)
def test_a_bad_endpoint_is_explained_and_not_repeated(typed: str, reason: str) -> None:
    with pytest.raises(UsageError, match="--otlp-endpoint") as refused:
        parse(["launch", "--otlp-endpoint", typed])
    assert reason in str(refused.value)
    assert "sk_live" not in str(refused.value)


@pytest.mark.parametrize("typed", [_SECRET, f"Name\n: {_SECRET}", f": {_SECRET}", f"X: {_SECRET}\r\nY: z", "X: " + "é"])
def test_a_bad_header_is_explained_and_not_repeated(typed: str) -> None:
    with pytest.raises(UsageError, match="must be one header") as refused:
        parse(["launch", "--otlp-endpoint", "http://localhost:4318", "--otlp-header", typed])
    assert "sk_live" not in str(refused.value)


def test_a_header_without_an_endpoint_is_refused() -> None:
    with pytest.raises(UsageError, match="there is none"):
        parse(["launch", "--otlp-header", "X: y"])


def test_a_mistyped_option_does_not_show_the_header() -> None:
    with pytest.raises(UsageError, match="did you mean --otlp-header") as refused:
        parse(["launch", f"--otlp-haeder=Authorization: {_SECRET}"])
    assert "sk_live" not in str(refused.value)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, *_: Any) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(export_options, "find_spec", missing)
    with pytest.raises(UsageError, match="pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"):
        parse(["launch", "--otlp-endpoint", "http://localhost:4318"])
    assert importlib.util.find_spec is not missing


def test_a_client_that_joins_is_told_that_it_is_not_applied() -> None:
    running = config_of(parse(["launch"]))
    options = ["--otlp-endpoint", "http://localhost:4318", "--otlp-header", f"Authorization: {_SECRET}"]
    asked = config_of(parse(["mcp", *options]))
    assert not_applied(asked, running) == ["--otlp-endpoint http://localhost:4318", "--otlp-header"]
    assert not_applied(asked, asked) == []
