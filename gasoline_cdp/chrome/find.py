"""Finds a Chrome, Chromium or Edge on Linux, macOS and Windows."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from gasoline_cdp.errors import Code, GasolineError

_NAMES = (
    "google-chrome",
    "google-chrome-stable",
    "chromium",
    "chromium-browser",
    "microsoft-edge",
    "microsoft-edge-stable",
    "google-chrome-beta",
    "google-chrome-unstable",
    "microsoft-edge-beta",
)
_NAMES_WINDOWS = ("chrome", "chromium", "msedge")

# Editors start us with a PATH of their own, so always look into the usual directories, too.
_LINUX_DIRECTORIES = ("/usr/bin", "/usr/local/bin")
_LINUX_PATHS = (
    "/opt/google/chrome/chrome",
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/opt/microsoft/msedge/msedge",
    "/opt/google/chrome-beta/chrome",
    "/opt/google/chrome-unstable/chrome",
    # Last: a snap may neither read nor write our profile directory.
    "/snap/bin/chromium",
)
_MAC_APPS = (
    "Google Chrome",
    "Chromium",
    "Microsoft Edge",
    "Google Chrome Beta",
    "Google Chrome Canary",
    "Google Chrome for Testing",
)
_WINDOWS_BASES = ("PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "LOCALAPPDATA")
_WINDOWS_PATHS = (
    "Google/Chrome/Application/chrome.exe",
    "Chromium/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
    "Google/Chrome Beta/Application/chrome.exe",
    "Google/Chrome SxS/Application/chrome.exe",
)

# The program inside a Playwright or Puppeteer download. The directory names have changed over the years.
_DOWNLOADED = {
    "linux": "chrome-linux*/chrome",
    "darwin": "chrome-mac*/*.app/Contents/MacOS/*",
    "win32": "chrome-win*/chrome.exe",
}

_INSTALL = {
    "linux": "`apt-get install chromium` (or your distribution's package)",
    "darwin": "`brew install --cask google-chrome`",
    "win32": "`winget install Google.Chrome`",
}


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def find_browser(
    explicit: str | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
    home: Path | None = None,
    which: Callable[[str], str | None] = shutil.which,
    exists: Callable[[Path], bool] = _is_program,
) -> Path:
    """Return the browser's program: as named by a person, else on PATH, else where installers put it.

    If the named browser does not exist, that is an error: another one would be a surprise.
    """
    home = home or Path.home()
    for source, value in (
        ("--browser", explicit),
        ("GASOLINE_BROWSER", environ.get("GASOLINE_BROWSER")),
        ("CHROME_PATH", environ.get("CHROME_PATH")),
    ):
        if value:
            return _named_browser(source, value, home, which, exists)

    names = _NAMES_WINDOWS if platform == "win32" else _NAMES
    for name in names:
        if program := which(name):
            return Path(program)
    tried = [f"{name} on PATH" for name in names]
    for path in _known_paths(platform, environ, home):
        if exists(path):
            return path
        tried.append(str(path))
    for cache, pattern in _download_caches(platform, environ, home):
        for path in _newest_first(cache, pattern):
            if exists(path):
                return path
        tried.append(str(cache / pattern))
    raise GasolineError(
        Code.NO_BROWSER,
        f"No Chrome, Chromium or Edge was found on PATH ({', '.join(names[:3])} and others), "
        "in the usual places, or in the caches of Playwright and Puppeteer: "
        f"install one with {_INSTALL.get(platform, _INSTALL['linux'])}, or name one with --browser.",
        tried=tried,
    )


def _named_browser(
    source: str,
    value: str,
    home: Path,
    which: Callable[[str], str | None],
    exists: Callable[[Path], bool],
) -> Path:
    """Return the program that a person named: a path, an application bundle of macOS, or a command."""
    path = home / value[2:] if value.startswith("~/") else Path(value)
    if path.suffix == ".app":
        path = path / "Contents" / "MacOS" / path.stem
    if exists(path):
        return path.absolute()
    is_command = not re.search(r"[/\\]", value)
    if is_command and (program := which(value)):
        return Path(program)
    problem = "there is no such command on PATH" if is_command else "there is no such program"
    raise GasolineError(
        Code.NO_BROWSER,
        f"{source} names {value!r}, but {problem}: correct it, or leave it out to have a browser found.",
        tried=[value],
    )


def _known_paths(platform: str, environ: Mapping[str, str], home: Path) -> Iterator[Path]:
    if platform == "darwin":
        for app in _MAC_APPS:
            for base in (Path("/Applications"), home / "Applications"):
                yield base / f"{app}.app" / "Contents" / "MacOS" / app
    elif platform == "win32":
        bases = [Path(environ[name]) for name in _WINDOWS_BASES if environ.get(name)]
        for path in _WINDOWS_PATHS:
            for base in dict.fromkeys(bases):
                yield base / path
    else:
        for name in _NAMES:
            for directory in _LINUX_DIRECTORIES:
                yield Path(directory, name)
        yield from map(Path, _LINUX_PATHS)


def _download_caches(platform: str, environ: Mapping[str, str], home: Path) -> Iterator[tuple[Path, str]]:
    """Where Playwright and Puppeteer keep downloaded browsers, each with a pattern for the programs."""
    if platform == "darwin":
        cache = home / "Library" / "Caches"
    elif platform == "win32":
        cache = Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    else:
        cache = Path(environ.get("XDG_CACHE_HOME") or home / ".cache")
    program = _DOWNLOADED.get(platform, _DOWNLOADED["linux"])
    playwright = environ.get("PLAYWRIGHT_BROWSERS_PATH", "")
    # Playwright's "0" means inside node_modules, wherever that is.
    yield (
        Path(playwright) if playwright not in {"", "0"} else cache / "ms-playwright",
        f"chromium-*/{program}",
    )
    puppeteer = environ.get("PUPPETEER_CACHE_DIR") or home / ".cache" / "puppeteer"
    yield Path(puppeteer), f"chrome/*/{program}"


def _newest_first(cache: Path, pattern: str) -> list[Path]:
    """Return the programs in a cache, newest version first. Versions compare as numbers: 1200 is newer than 999."""

    def version(program: Path) -> list[int]:
        # The first number after a hyphen: chromium-1187, or chrome/linux-140.0.7339.82.
        release = re.search(r"-(\d[\d.]*)", str(program.relative_to(cache)))
        return [int(number) for number in re.findall(r"\d+", release[1])] if release else []

    return sorted(cache.glob(pattern), key=version, reverse=True)
