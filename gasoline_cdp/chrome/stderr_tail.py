"""Keeps the tail of a browser's stderr, and derives from it why the browser exited."""

import re
import signal
from collections import deque
from pathlib import Path

from gasoline_cdp import limits
from gasoline_cdp.chrome.flags import ROOT_REFUSED
from gasoline_cdp.chrome.profile import lock_holder, profile_in_use
from gasoline_cdp.errors import Code, GasolineError

_LISTENING = re.compile(r"DevTools listening on (ws://\S+)$")
_NO_PORT = "Cannot start http server for devtools"
# [process:thread:date/time:ERROR:file:line] in front of every line of Chrome's own log.
_LOG_PREFIX = re.compile(r"^\[[\d:/.]+:[A-Z]+[\d]*:[^\]]*\] ?")
# Printed by healthy browsers, too, mostly in containers and under Debian's start script.
_CHATTER = re.compile(r"dbus/|gcm/|gpu/|vaapi|unexpected operator|^DevTools listening|^\s*$", re.IGNORECASE)
_MEANINGFUL_LINES = 3
# Chrome's exit code for a profile that another browser has open.
_EXIT_PROFILE_IN_USE = 21
# Text in Chrome's output, and what it means for the person who started us.
_KNOWN_REASONS = (
    (
        "Running as root without --no-sandbox",
        ROOT_REFUSED,
    ),
    (
        "No usable sandbox",
        "Chrome's sandbox cannot work on this machine: pass --no-sandbox if you trust the pages.",
    ),
    (
        "Missing X server",
        "Chrome found no display to open a window on: pass --headless, or set DISPLAY.",
    ),
)


class StderrTail:
    """The last lines of a browser's stderr, bounded however much it prints."""

    def __init__(self) -> None:
        # Both are printed once, at start, and may have left the tail when they are needed.
        self.debug_address: str | None = None
        self.no_debug_port = False
        self._lines: deque[str] = deque(maxlen=limits.STDERR_TAIL_LINES)
        self._partial = b""

    def feed(self, data: bytes) -> None:
        """Take the next bytes. Lines may be cut anywhere."""
        *lines, rest = (self._partial + data).split(b"\n")
        for line in lines:
            self._add(_text(line))
        # Only the beginning of an endless line is shown, so keep only that: 4 bytes per character at most.
        self._partial = rest[: 4 * limits.STDERR_LINE_CHARS]

    def tail(self) -> list[str]:
        """Return the last lines, oldest first, including an unfinished one."""
        rest = _text(self._partial)
        return [*self._lines, rest][-limits.STDERR_TAIL_LINES :] if rest else list(self._lines)

    def _add(self, line: str) -> None:
        self._lines.append(line)
        if self.debug_address is None and (listening := _LISTENING.match(line)):
            self.debug_address = listening[1]
        self.no_debug_port |= _NO_PORT in line


def _text(line: bytes) -> str:
    return line.decode(errors="replace").rstrip("\r")[: limits.STDERR_LINE_CHARS]


def meaningful(lines: list[str]) -> list[str]:
    """Return the last lines that may explain something, without log prefixes."""
    informative = [line for line in lines if not _CHATTER.search(line)] or [line for line in lines if line.strip()]
    return [_LOG_PREFIX.sub("", line).strip() for line in informative[-_MEANINGFUL_LINES:]]


def exit_error(returncode: int | None, lines: list[str], profile: Path, pid: int) -> GasolineError:
    """Say in one sentence why a browser (once `pid`) exited; if it has not, why it cannot be reached."""
    output = "\n".join(lines)
    holder = lock_holder(profile)
    other = holder[1] if holder and holder[1] != pid else None
    if returncode == _EXIT_PROFILE_IN_USE:
        return profile_in_use(profile, other)
    details = {"exit_code": returncode, "stderr": lines}
    for pattern, reason in _KNOWN_REASONS:
        if returncode is not None and pattern in output:
            return GasolineError(Code.BROWSER_FAILED, reason, **details)
    if returncode is None:
        how = "does not answer although it runs"
    elif returncode < 0:
        how = f"was ended at start by {_signal_name(-returncode)}"
    else:
        how = f"exited at start with code {returncode}"
    last = " / ".join(meaningful(lines)) or "it said nothing"
    return GasolineError(Code.BROWSER_FAILED, f"The browser {how}: {last}", **details)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
