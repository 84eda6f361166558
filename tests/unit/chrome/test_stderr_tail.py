"""What is kept of a browser's stderr, and what its exit is said to mean."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gasoline_cdp import limits
from gasoline_cdp.chrome.stderr_tail import StderrTail, exit_error, meaningful
from gasoline_cdp.errors import Code, GasolineError

LOG = "[17:17:1116/041413.257906:ERROR:content/browser/zygote_host/zygote_host_impl_linux.cc:103] "
NOISE = [
    "/usr/bin/chromium: 9: [: 25274793984: unexpected operator",
    "[6639:6669:1116/035948.500751:ERROR:dbus/bus.cc:405] Failed to connect to the bus: No such file",
    "",
    "DevTools listening on ws://127.0.0.1:9333/devtools/browser/d5be",
]


def explain(
    returncode: int | None, lines: Sequence[str] = (), profile: Path = Path("/p"), pid: int = 7
) -> GasolineError:
    return exit_error(returncode, list(lines), profile, pid)


def test_lines_are_joined_wherever_they_were_cut() -> None:
    words = StderrTail()
    for piece in (b"on", b"e\ntwo\r\nthr", "é".encode()[:1], "é".encode()[1:] + b"\nrest"):
        words.feed(piece)
    assert words.tail() == ["one", "two", "thré", "rest"]


def test_the_tail_is_bounded_in_lines_and_characters() -> None:
    words = StderrTail()
    for number in range(1000):
        words.feed(f"{number} {'x' * 5000}\n".encode())
    for _ in range(1000):
        words.feed(b"y" * 1000)
    tail = words.tail()
    assert len(tail) == limits.STDERR_TAIL_LINES
    assert tail[-2].startswith("999 x")
    assert {len(line) for line in tail} == {limits.STDERR_LINE_CHARS}
    words.feed(b"\nlast\n")
    assert words.tail()[-1] == "last"


def test_the_debugging_address_is_remembered_after_it_has_left_the_tail() -> None:
    words = StderrTail()
    words.feed(b"DevTools listening on ws://127.0.0.1:9333/devtools/browser/d5be\n")
    words.feed(b"said by a page: DevTools listening on ws://evil/\nDevTools listening on ws://evil/\n" + b"x\n" * 50)
    assert words.debug_address == "ws://127.0.0.1:9333/devtools/browser/d5be"
    assert not words.no_debug_port
    words.feed(LOG.encode() + b"Cannot start http server for devtools.\n")
    assert words.no_debug_port


def test_noise_of_healthy_browsers_and_log_prefixes_are_left_out() -> None:
    assert meaningful([*NOISE, LOG + "It is broken. ", *NOISE]) == ["It is broken."]
    assert meaningful(NOISE)[-1].startswith("DevTools listening")
    assert meaningful(list("abcde")) == ["c", "d", "e"]
    assert meaningful([]) == []


@pytest.mark.parametrize(
    ("returncode", "lines", "sentence"),
    [
        (1, ["libnss3.so: cannot open"], "The browser exited at start with code 1: libnss3.so: cannot open"),
        (0, [], "The browser exited at start with code 0: it said nothing"),
        (-9, ["a", "b"], "The browser was ended at start by SIGKILL: a / b"),
        (-250, [], "The browser was ended at start by signal 250: it said nothing"),
        (None, ["hm"], "The browser does not answer although it runs: hm"),
    ],
)
def test_the_sentence(returncode: int | None, lines: list[str], sentence: str) -> None:
    error = explain(returncode, lines)
    assert error.code == Code.BROWSER_FAILED
    assert error.message == sentence
    assert error.details == {"exit_code": returncode, "stderr": lines}


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("Running as root without --no-sandbox is not supported. See https://crbug.com/638180.", "as root"),
        ("No usable sandbox! If you are running on Ubuntu 23.10+", "--no-sandbox"),
        ("Missing X server or $DISPLAY", "--headless"),
    ],
)
def test_known_reasons_say_what_to_do(said: str, advice: str) -> None:
    error = explain(1, [*NOISE, LOG + said, LOG + "The platform failed to initialize.  Exiting."])
    assert error.code == Code.BROWSER_FAILED
    assert advice in error.message


def test_exit_code_21_means_another_browser_and_names_it(tmp_path: Path) -> None:
    assert "another browser" in explain(21, profile=tmp_path).message
    (tmp_path / "SingletonLock").symlink_to("elsewhere-4711")
    error = explain(21, profile=tmp_path)
    assert error.code == Code.PROFILE_IN_USE
    assert "process 4711" in error.message
    assert error.details["pid"] == 4711
    assert explain(21, profile=tmp_path, pid=4711).details["pid"] is None
