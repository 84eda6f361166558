"""A tool's options on the command line are those of its schema."""

import json
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from gasoline_cdp import wire
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.cli.calling import OWN, run_call
from gasoline_cdp.frontends.invocation import UsageError
from gasoline_cdp.frontends.local import bridge
from gasoline_cdp.tools.registry import TOOLS

pytestmark = pytest.mark.requirement("F3-CLI")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """What the daemon is asked."""
    asked: list[tuple[str, dict[str, Any]]] = []

    def answer(hello: dict[str, Any]) -> dict[str, Any]:
        asked.append((hello["tool"], hello["arguments"]))
        return {"data": {"summary": "fine", "entries": []}, "is_error": False}

    monkeypatch.setattr(bridge, "ask", answer)
    return asked


@pytest.mark.parametrize(
    ("command", "given", "tool", "arguments"),
    [
        ("call", ["observe", "--what", "errors", "--limit", "5"], "observe", {"what": "errors", "limit": 5}),
        ("observe", ["errors", "--limit=5"], "observe", {"what": "errors", "limit": 5}),
        ("observe", ["network", "--include-static"], "observe", {"what": "network", "include_static": True}),
        ("observe", ["network", "--include_static=false"], "observe", {"what": "network", "include_static": False}),
        (
            "call",
            ["get_network_bodies", "--json-args", '{"limit": 3, "method": "GET"}', "--limit", "4"],
            "get_network_bodies",
            {"limit": 4, "method": "GET"},
        ),
        ("call", ["get_page_info"], "get_page_info", {}),
    ],
)
def test_words_become_arguments(
    calls: list[Any], command: str, given: list[str], tool: str, arguments: dict[str, Any]
) -> None:
    assert run_call(command, given) == 0
    assert calls == [(tool, arguments)]


@pytest.mark.parametrize(
    ("command", "given", "told"),
    [
        ("call", ["obsrve"], "there is no tool 'obsrve'; did you mean 'observe'?"),
        ("call", ["zzz"], "tools: observe, "),
        ("call", ["observe", "--limt", "5"], "did you mean --limit?"),
        ("call", ["observe", "--what", "erors"], "did you mean 'errors'?"),
        ("call", ["observe"], "what is required"),
        ("observe", [], "what is required"),
        ("observe", ["errors", "--limit", "many", "--tab-id", "x"], "limit must be a whole number"),
        ("observe", ["errors", "--limit", "many", "--tab-id", "x"], "tab_id must be a whole number"),
        ("observe", ["errors", "--json-args", "{"], "--json-args is not JSON"),
        ("observe", ["errors", "--json-args", "[]"], "must be a JSON object"),
        ("observe", ["errors", "--json-args", '{"limt": 1}'], "did you mean 'limit'?"),
        ("observe", ["errors", "--output", "x.jpg"], "--output is for the picture of screenshot"),
        ("call", ["get_page_info", "--output", "x.jpg"], "unknown: --output"),
    ],
)
def test_what_is_wrong_is_told_before_anybody_is_asked(
    calls: list[Any], command: str, given: list[str], told: str
) -> None:
    with pytest.raises(UsageError) as error:
        run_call(command, given)
    assert told in str(error.value)
    assert calls == []


def test_an_error_is_json_or_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failure = {"status": "error", "error": "page_hung", "message": "It hangs."}
    monkeypatch.setattr(bridge, "ask", lambda _: {"data": failure, "is_error": True})
    assert run_call("call", ["get_page_info"]) == 1
    assert json.loads(capsys.readouterr().out) == failure
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with pytest.raises(GasolineError, match=r"It hangs\."):
        run_call("call", ["get_page_info"])


def test_a_person_is_shown_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[dict[str, Any]] = []

    def answer(hello: dict[str, Any]) -> dict[str, Any]:
        asked.append(hello)
        if hello.get("answers") == "lines":
            return {"lines": [{"text": '"boom"', "time": "10:00:00", "tag": "error"}], "is_error": False}
        return {"data": {"summary": "fine"}, "is_error": False}

    monkeypatch.setattr(bridge, "ask", answer)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert run_call("observe", ["errors"]) == 0
    assert Text.from_ansi(capsys.readouterr().out).plain == '10:00:00  error  "boom"\n'
    assert asked == [{"want": "call", "tool": "observe", "arguments": {"what": "errors"}, "answers": "lines"}]
    assert run_call("observe", ["errors", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"summary": "fine"}
    assert "answers" not in asked[-1]


def test_a_picture_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked: list[dict[str, Any]] = []

    def answer(hello: dict[str, Any]) -> dict[str, Any]:
        asked.append(hello)
        data = {"summary": "What the window shows.", "mime": "image/jpeg"}
        return {"data": data, "is_error": False, "pictures": [b64encode(b"a picture").decode()]}

    monkeypatch.setattr(bridge, "ask", answer)
    file = tmp_path / "page.jpg"
    assert run_call("observe", ["screenshot", "--output", str(file)]) == 0
    arguments = {"what": "screenshot", "format": "jpeg"}
    assert asked[-1] == {"want": "call", "tool": "observe", "arguments": arguments, "pictures": True}
    assert file.read_bytes() == b"a picture"
    out, err = capsys.readouterr()
    assert json.loads(out)["mime"] == "image/jpeg"
    assert err == f"gasoline-cdp: Wrote {file} (9B, JPEG).\n"
    # The format follows the ending.
    for name, kind in (("page.png", "png"), ("page.JPEG", "jpeg"), ("page.webp", "webp")):
        run_call("call", ["observe", "--what", "screenshot", "--output", str(tmp_path / name)])
        assert asked[-1]["arguments"]["format"] == kind
    for name, more in (("page", []), ("page.gif", []), ("page.png", ["--format", "webp"])):
        with pytest.raises(UsageError, match="--output"):
            run_call("observe", ["screenshot", "--output", str(tmp_path / name), *more])
    capsys.readouterr()
    # Without the option a person is told of it.
    run_call("observe", ["screenshot"])
    assert capsys.readouterr().err == "gasoline-cdp: The picture itself comes with --output FILE.\n"
    with pytest.raises(GasolineError, match="Cannot write"):
        run_call("observe", ["screenshot", "--output", str(tmp_path / "none" / "page.jpg")])


def test_a_failed_screenshot_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    failure = {"status": "error", "error": "page_hung", "message": "It hangs."}
    monkeypatch.setattr(bridge, "ask", lambda _: {"data": failure, "is_error": True, "pictures": []})
    assert run_call("observe", ["screenshot", "--output", str(tmp_path / "page.jpg")]) == 1
    assert json.loads(capsys.readouterr().out) == failure
    assert not list(tmp_path.iterdir())


def test_help_lists_the_tools_and_each_tool_s_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run_call("call", ["--help"])
    assert ended.value.code == 0
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed for name in TOOLS)
    for name, tool in TOOLS.items():
        with pytest.raises(SystemExit):
            run_call("call", [name, "--help"])
        shown = capsys.readouterr().out
        for argument in wire.schema_of(tool.args)["properties"]:
            assert f"--{argument.replace('_', '-')}" in shown


def test_no_tool_has_an_argument_of_the_command_s_own() -> None:
    taken = {name: set(OWN) & set(wire.schema_of(tool.args)["properties"]) for name, tool in TOOLS.items()}
    assert {name: both for name, both in taken.items() if both} == {}
