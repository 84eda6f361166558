"""Chooses the flags of a browser: with or without a window, with or without sandbox."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import frozen

from gasoline_cdp import limits
from gasoline_cdp.errors import Code, GasolineError

# Suppress the browser's own traffic and prompts. None of these changes what the app under test sees, or reveals
# automation.
_ALWAYS = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--disable-search-engine-choice-screen",
    "--hide-crash-restore-bubble",
)
_DISABLED_FEATURES = (
    "Translate",
    "MediaRouter",
    "DialMediaRouteProvider",
    "OptimizationHints",
    "AutofillServerCommunication",
    # With it Chrome swaps the page's frame on navigation, and we miss what a page does while it unloads.
    "RenderDocument",
)
# Headless tabs are never visible, so Chrome would throttle all of them as background tabs.
_HEADLESS = (
    "--headless=new",
    "--mute-audio",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
)
_DISABLE_FEATURES = "--disable-features="
WINDOW_SIZE = "--window-size="
# Height of the headless window above the page in current versions. `Daemon` corrects it if it differs.
_TOOLBAR_HEIGHT = 87
# A common screen size. Otherwise a headless screen is 800 x 600, smaller than its window.
_SCREEN = (1920, 1080)

ROOT_REFUSED = (
    "Chrome refuses to run as root with its sandbox: pass --no-sandbox if you trust the pages, or run as a normal user."
)


@frozen
class Viewport:
    """The part of a window that shows the page, in CSS pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


HEADLESS_VIEWPORT = Viewport(1280, 800)


def chrome_flags(
    *,
    profile: Path,
    headless: bool,
    viewport: Viewport | None = None,
    pipe: bool,
    debug_port: int | None,
    no_sandbox: bool,
    small_shm: bool,
    extra: Sequence[str] = (),
) -> list[str]:
    """Return the browser's arguments, without the program, ending in the start page."""
    # Chrome uses only the last --disable-features, so a user's own would silently replace ours.
    features = list(_DISABLED_FEATURES)
    for flag in extra:
        if flag.startswith(_DISABLE_FEATURES):
            features += flag.removeprefix(_DISABLE_FEATURES).split(",")
    flags = [
        *_ALWAYS,
        _DISABLE_FEATURES + ",".join(dict.fromkeys(feature for feature in features if feature)),
        f"--user-data-dir={profile}",
    ]
    if headless:
        flags += _HEADLESS
    if viewport is not None:
        flags.append(f"{WINDOW_SIZE}{viewport.width},{viewport.height + _TOOLBAR_HEIGHT}")
    if headless and viewport is not None:
        width, height = max(viewport.width, _SCREEN[0]), max(viewport.height + _TOOLBAR_HEIGHT, _SCREEN[1])
        # A warning bar, such as the one of --no-sandbox, would reduce the page's height after it has loaded.
        flags += [f"--screen-info={{{width}x{height}}}", "--disable-infobars"]
    if pipe:
        flags.append("--remote-debugging-pipe")
    if debug_port is not None:
        flags.append(f"--remote-debugging-port={debug_port}")
    if no_sandbox:
        flags.append("--no-sandbox")
    if small_shm:
        flags.append("--disable-dev-shm-usage")
    flags += [flag for flag in extra if not flag.startswith(_DISABLE_FEATURES)]
    return [*flags, "about:blank"]


def viewport_choice(asked: Viewport | None, *, headless: bool, extra: Sequence[str] = ()) -> Viewport | None:
    """Return the size for the page. None leaves it to Chrome, to a person, or to a flag."""
    if asked is not None or not headless or any(flag.startswith(WINDOW_SIZE) for flag in extra):
        return asked
    return HEADLESS_VIEWPORT


def small_dev_shm(*, platform: str = sys.platform, shm: Path = Path("/dev/shm")) -> bool:  # noqa: S108 the device
    """Whether /dev/shm is too small for Chrome's shared memory, as in most containers."""
    if platform != "linux":
        return False
    try:
        size = os.statvfs(shm)
    except OSError:
        return True
    return size.f_frsize * size.f_blocks < limits.SHM_BYTES_MIN


def _is_ci(environ: Mapping[str, str]) -> bool:
    return environ.get("CI", "").lower() not in {"", "0", "false"}


def sandbox_choice(
    asked: bool, *, is_root: bool | None = None, environ: Mapping[str, str] = os.environ
) -> tuple[bool, str | None]:
    """Return whether to run without Chrome's sandbox, and a warning if nobody asked for that."""
    if is_root is None:
        is_root = sys.platform != "win32" and os.geteuid() == 0
    if asked:
        return True, None
    if not is_root:
        return False, None
    if _is_ci(environ):
        return True, (
            "Running as root in CI, so Chrome runs without its sandbox: "
            "open only pages you trust, or run as a normal user."
        )
    raise GasolineError(Code.BROWSER_FAILED, ROOT_REFUSED)


def headless_choice(
    asked: bool | None, *, environ: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> tuple[bool, str]:
    """Return whether to run headless, and a short reason."""
    if asked is not None:
        return asked, "headless, as asked" if asked else "with a window, as asked"
    if platform in {"darwin", "win32"}:
        return (True, "headless, since CI is set") if _is_ci(environ) else (False, "with a window")
    if environ.get("WAYLAND_DISPLAY") or environ.get("DISPLAY"):
        return False, "with a window, since there is a display"
    return True, "headless, since there is no display"
