"""Reads the conditions that a caller wrote. Names every problem at once."""

import re
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from attrs import evolve

from gasoline_cdp import pilot_limits
from gasoline_cdp.analysis.conditions.mocks import parse_mocks
from gasoline_cdp.analysis.conditions.problems import Problems
from gasoline_cdp.analysis.conditions.settings import NORMAL, Geolocation, NetworkThrottle, Screen, Settings

# Undoes one condition.
DEFAULT = "default"

_SIZE = re.compile(
    r"(?P<width>\d{1,5})\s*[x×]\s*(?P<height>\d{1,5})(?:@(?P<scale>\d{1,2}(?:\.\d{1,3})?))?(?P<kinds>.*)"
)
DEVICES: dict[str, Screen] = {
    "iphone se": Screen(width=375, height=667, scale=2, mobile=True, touch=True),
    "iphone 15": Screen(width=393, height=852, scale=3, mobile=True, touch=True),
    "iphone 15 pro max": Screen(width=430, height=932, scale=3, mobile=True, touch=True),
    "pixel 8": Screen(width=412, height=915, scale=2.625, mobile=True, touch=True),
    "galaxy s24": Screen(width=360, height=780, scale=3, mobile=True, touch=True),
    "ipad": Screen(width=820, height=1180, scale=2, mobile=True, touch=True),
    "ipad pro": Screen(width=1024, height=1366, scale=2, mobile=True, touch=True),
    "laptop": Screen(width=1366, height=768),
    "desktop": Screen(width=1920, height=1080),
}
# As DevTools throttles.
NETWORKS: dict[str, NetworkThrottle] = {
    "offline": NetworkThrottle(offline=True),
    "slow 3g": NetworkThrottle(latency_ms=2000, down_kbps=400, up_kbps=400),
    "fast 3g": NetworkThrottle(latency_ms=563, down_kbps=1440, up_kbps=675),
    "slow 4g": NetworkThrottle(latency_ms=563, down_kbps=1440, up_kbps=675),
    "4g": NetworkThrottle(latency_ms=165, down_kbps=8100, up_kbps=1350),
}
_RATE = re.compile(r"[\"']?(?P<name>[a-z_]+)[\"']?\s*[:=]\s*(?P<value>\d{1,7})\b")
_RATES = ("latency_ms", "down_kbps", "up_kbps")
# Short names, Chrome's name, and its values.
_MEDIA: dict[str, tuple[str, tuple[str, ...]]] = {
    "print": ("type", ("print", "screen")),
    "type": ("type", ("print", "screen")),
    "color_scheme": ("prefers-color-scheme", ("dark", "light")),
    "reduced_motion": ("prefers-reduced-motion", ("reduce", "no-preference")),
    "contrast": ("prefers-contrast", ("more", "less", "custom", "no-preference")),
    "forced_colors": ("forced-colors", ("active", "none")),
    "reduced_data": ("prefers-reduced-data", ("reduce", "no-preference")),
    "color_gamut": ("color-gamut", ("srgb", "p3", "rec2020")),
}
_SETTINGS = ("granted", "denied", "prompt")
PERMISSIONS = (
    "geolocation", "camera", "microphone", "notifications", "clipboard-read", "clipboard-write", "midi",
    "background-sync", "persistent-storage", "screen-wake-lock", "storage-access", "idle-detection", "local-fonts",
    "window-management", "accelerometer", "gyroscope", "magnetometer", "payment-handler", "display-capture",
)  # fmt: skip
_LOCALE = re.compile(r"[a-zA-Z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")


def parse_settings(before: Settings, given: Mapping[str, Any], problems: Problems) -> Settings:
    """The conditions with what is given changed. An empty value, or `default`, undoes one."""
    changed: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            continue
        undone = value in ("", DEFAULT) or (isinstance(value, (dict, list)) and not value)
        changed[name] = getattr(NORMAL, name) if undone else _READ[name](value, problems)
    return evolve(before, **changed) if not problems.all else before


def _viewport(given: str, problems: Problems) -> Screen | None:
    if device := DEVICES.get(" ".join(given.lower().split())):
        return device
    match = _SIZE.fullmatch(given.strip())
    if match is None:
        if re.search(r"\d\s*[x×]", given):
            problems.add(f"viewport {given[:60]!r} must read like 390x844@3 mobile touch")
        else:
            problems.unknown("viewport: the device", given, DEVICES)
        return None
    width, height = int(match["width"]), int(match["height"])
    kinds = set(match["kinds"].split())
    if wrong := kinds - {"mobile", "touch"}:
        problems.unknown("viewport:", min(wrong), ("mobile", "touch"))
    if not all(pilot_limits.SCREEN_MIN <= side <= pilot_limits.SCREEN_MAX for side in (width, height)):
        problems.add(f"viewport: a side has {pilot_limits.SCREEN_MIN} to {pilot_limits.SCREEN_MAX} pixels")
    scale = float(match["scale"] or 1)
    if not 0.1 <= scale <= 10:
        problems.add("viewport: the scale is 0.1 to 10")
    return Screen(
        width=width, height=height, scale=scale, mobile="mobile" in kinds, touch=bool(kinds & {"mobile", "touch"})
    )


def _network(given: str, problems: Problems) -> NetworkThrottle | None:
    if network := NETWORKS.get(" ".join(given.lower().split())):
        return network
    rates = {match["name"]: int(match["value"]) for match in _RATE.finditer(given)}
    if not rates:
        problems.unknown("network", given, (*NETWORKS, "latency_ms=400 down_kbps=400 up_kbps=400"))
    for name in rates:
        if name not in _RATES:
            problems.unknown("network:", name, _RATES)
    if rates.get("latency_ms", 0) > pilot_limits.MOCK_DELAY_MS_MAX:
        problems.add(f"network: latency_ms is at most {pilot_limits.MOCK_DELAY_MS_MAX}")
    latency, down, up = (rates.get(name, 0) for name in _RATES)
    return NetworkThrottle(latency_ms=latency, down_kbps=down, up_kbps=up)


def _cpu(given: float, problems: Problems) -> float:
    if not 1 <= given <= pilot_limits.CPU_SLOWER_MAX:
        problems.add(f"cpu is how many times slower: 1 to {pilot_limits.CPU_SLOWER_MAX}, not {given:g}")
    return given


def _media(given: Mapping[str, Any], problems: Problems) -> tuple[tuple[str, str], ...]:
    features = []
    for name, value in given.items():
        short = str(name).lower().replace("-", "_").removeprefix("prefers_")
        if short not in _MEDIA:
            problems.unknown("media:", name, _MEDIA)
            continue
        chrome, values = _MEDIA[short]
        wanted = values[0] if value is True else value
        if wanted not in values:
            problems.unknown(f"media: {short}", value, values)
        features.append((chrome, str(wanted)))
    return tuple(features)


def _locale(given: str, problems: Problems) -> str:
    if not _LOCALE.fullmatch(given):
        problems.add(f"locale {given[:40]!r} must read like de-DE")
    return given.replace("_", "-")


@cache
def _zones() -> dict[str, str]:
    """The known time zones; none on a machine without that list."""
    return {name.lower(): name for name in zoneinfo.available_timezones()}


def _timezone(given: str, problems: Problems) -> str:
    known = _zones()
    if (known and given.lower() not in known) or not re.fullmatch(r"[A-Za-z0-9_+/-]{1,60}", given):
        close = re.sub(r"\W+", "_", given.strip()).lower()
        near = sorted(name for zone, name in known.items() if zone.rpartition("/")[2] == close)
        hint = f"did you mean {near[0]!r}?" if near else "such as Europe/Berlin"
        problems.add(f"timezone {given[:60]!r} is not known; {hint}")
    return known.get(given.lower(), given)


def _user_agent(given: str, problems: Problems) -> str:
    if len(given) > pilot_limits.CONDITION_CHARS or not given.isprintable():
        problems.add(f"user_agent must be one line of at most {pilot_limits.CONDITION_CHARS} characters")
    return given


def _geolocation(given: str, problems: Problems) -> Geolocation | None:
    if given.strip().lower() == "unavailable":
        return Geolocation()
    try:
        latitude, longitude, *accuracy = (float(part) for part in given.split(","))
        position = Geolocation(latitude=latitude, longitude=longitude, accuracy=accuracy[0] if accuracy else 10.0)
    except ValueError:
        position = None
    if position is None or not (-90 <= latitude <= 90 and -180 <= longitude <= 180 and 0 <= position.accuracy < 1e7):
        problems.add(f"geolocation {given[:60]!r} must read like 52.52,13.40 (latitude, longitude), or unavailable")
        return None
    return position


def _permissions(given: Mapping[str, Any], problems: Problems) -> tuple[tuple[str, str], ...]:
    for name, value in given.items():
        if name not in PERMISSIONS:
            problems.unknown("permissions:", name, PERMISSIONS)
        if value not in _SETTINGS:
            problems.unknown(f"permissions: {str(name)[:40]}", value, _SETTINGS)
    return tuple((str(name), str(value)) for name, value in given.items())


def _headers(given: Mapping[str, Any], problems: Problems) -> tuple[tuple[str, str], ...]:
    return problems.headers("headers", given)


def _blocked(given: Sequence[str], problems: Problems) -> tuple[str, ...]:
    if len(given) > pilot_limits.CONDITION_ITEMS:
        problems.add(f"blocked: at most {pilot_limits.CONDITION_ITEMS} patterns, not {len(given)}")
    return tuple(problems.pattern(f"blocked[{index}]", one) for index, one in enumerate(given))


_READ: dict[str, Callable[[Any, Problems], Any]] = {
    "viewport": _viewport,
    "network": _network,
    "cpu": _cpu,
    "media": _media,
    "locale": _locale,
    "timezone": _timezone,
    "user_agent": _user_agent,
    "geolocation": _geolocation,
    "permissions": _permissions,
    "headers": _headers,
    "blocked": _blocked,
    "mocks": parse_mocks,
}
