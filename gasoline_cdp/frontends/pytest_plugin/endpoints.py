"""Where a browser that a test started listens for the DevTools Protocol. Standard library only."""

import json
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

_PORT = "--remote-debugging-port"
_PROFILE = "--user-data-dir="
_SECONDS = 5.0


def with_port(args: list[str] | None) -> list[str]:
    """Chromium's arguments with a port of its own beside Playwright's pipe. A port that the project chose stays."""
    given = list(args or [])
    return given if any(one.startswith(_PORT) for one in given) else [*given, f"{_PORT}=0"]


def endpoint_of(process_info: dict[str, Any]) -> str:
    """Chromium writes the port that it chose into its profile, which its command line names."""
    pid = next(one["id"] for one in process_info["processInfo"] if one["type"] == "browser")
    profile = next(one for one in _command_line(int(pid)) if one.startswith(_PROFILE))
    return read_endpoint(Path(profile.removeprefix(_PROFILE)))


def read_endpoint(profile: Path) -> str:
    """The endpoint of the browser that uses a profile."""
    port, target = (profile / "DevToolsActivePort").read_text(encoding="utf-8").splitlines()[:2]
    return f"ws://127.0.0.1:{int(port)}{target}"


def endpoint_at(address: str) -> str:
    """The endpoint of the browser that listens on host:port, as chromedriver tells it."""
    connection = HTTPConnection(address, timeout=_SECONDS)
    try:
        connection.request("GET", "/json/version")
        return str(json.loads(connection.getresponse().read())["webSocketDebuggerUrl"])
    finally:
        connection.close()


def _command_line(pid: int) -> list[str]:
    kernels = Path(f"/proc/{pid}/cmdline")
    if kernels.exists():
        return kernels.read_text(encoding="utf-8", errors="replace").split("\0")
    system: str = sys.platform
    if system == "win32":
        question = f'(Get-CimInstance Win32_Process -Filter "ProcessId={pid}").CommandLine'
        command = ["powershell", "-NoProfile", "-Command", question]
    else:
        command = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
    line = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_SECONDS).stdout.strip()  # noqa: S603 - our own words and a number
    # One string: a path with spaces ends where the next option begins.
    return [f"--{one}".strip().strip('"') for one in line.replace('"--', "--").split(" --")]
