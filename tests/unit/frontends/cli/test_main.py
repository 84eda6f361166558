"""What the command line says to whoever types something; tests/protocol/test_cli.py runs it as a program."""

import pytest

from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends.cli import main
from gasoline_cdp.frontends.invocation import COMMANDS


def test_the_list_of_commands_is_whole() -> None:
    assert set(COMMANDS) == {*main._COMMANDS, "call", "observe"}


@pytest.mark.requirement("F1-CLI")
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing"], "there is no command 'nothing'; commands: launch, attach"),
        (["--verbose", "lanch"], "there is no command 'lanch'; did you mean 'launch'?"),
        (["lunch"], "did you mean 'launch'?"),
        (["launch", "--debug-port", "abc"], "--debug-port: must be a port number from 0 to 65535, not 'abc'"),
        (["launch", "--debug-port", "65536"], "--debug-port"),
        (["launch", "--viewport", "large"], "--viewport: must be width x height, such as 1280x800, not 'large'"),
        (["mcp", "--viewport", "800x600", "--browser-url", "http://127.0.0.1:1"], "not for one that it attaches to"),
        (["launch", "--viewport", "10x800"], "--viewport: sides must have 200 to 8000 pixels"),
        (["launch", "--bodies", "some"], "'off', 'errors', 'all'"),
        (["launch", "--headless", "--headed"], "not allowed with"),
        (["launch", "--profile", "x", "--temporary-profile"], "not allowed with"),
        (["launch", "--prot", "7890"], "unknown: --prot; did you mean --port?"),
        (["launch", "--headles"], "did you mean --headless?"),
        (["mcp", "--stand_alone"], "did you mean --standalone?"),
        (["generat"], "did you mean 'generate'?"),
        (["call", "get_network_bodies", "--statusmin", "5"], "did you mean --status-min?"),
        (["observe", "network", "--status_min", "5"], "--status-min is an option of: call get_network_bodies"),
        (["observe", "errors", "--limt", "5"], "did you mean --limit?"),
        (["launch", "http://localhost:1", "http://localhost:2"], "http://localhost:2"),
        (["launch", "not an address"], "http://localhost:3000, not 'not an address'"),
        (["attach", "--browser-url", "http://localhost:1", "--ws-endpoint", "ws://localhost:1"], "not allowed with"),
        (["watch", "--only", "everything"], "'logs', 'network', 'websockets'"),
        (["status", "--", "--window-size=1,1"], "status starts none"),
        (["attach", "--", "--window-size=1,1"], "attach starts none"),
    ],
    ids=" ".join,
)
def test_wrong_usage_says_what_is_wrong(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(arguments) == 2
    out, message = capsys.readouterr()
    assert told in message
    assert "--help" in message
    assert message.count("\n") <= 2
    assert out == ""


@pytest.mark.requirement("F1-CLI")
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code = main.main([command, "--help"])
    except SystemExit as end:
        code = int(end.code or 0)
    said, err = capsys.readouterr()
    assert code == 0
    assert f"usage: gasoline-cdp {command}" in said
    assert "--verbose" in said or command == "call"
    assert err == ""


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (GasolineError(Code.NO_BROWSER, "There is no browser."), 1, "gasoline-cdp: There is no browser.\n"),
        (KeyboardInterrupt(), 0, ""),
        (KeyError("x"), 1, "gasoline-cdp: internal error (KeyError). Run it again with --verbose, and report it.\n"),
    ],
    ids=["refused", "interrupted", "unforeseen"],
)
def test_whatever_happens_is_told_in_a_line(
    error: BaseException,
    code: int,
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: object) -> int:
        raise error

    monkeypatch.setitem(main._COMMANDS, "stop", fail)
    assert main.main(["stop"]) == code
    assert capsys.readouterr().err == told


@pytest.mark.parametrize(("clients", "words"), [(0, ""), (1, " 1 client was connected: its"), (3, " 3 clients were")])
def test_stop_says_who_was_left_behind(clients: int, words: str) -> None:
    assert main._left_behind(clients).startswith(words)
