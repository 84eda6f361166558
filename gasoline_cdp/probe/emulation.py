"""The commands that bring a condition into force in a page, frame or worker, and those that end it."""

from collections.abc import Callable, Iterable, Iterator

from gasoline_cdp.analysis.conditions.mocks import chrome_pattern
from gasoline_cdp.analysis.conditions.settings import Settings
from gasoline_cdp.cdp.connection import Params
from gasoline_cdp.records import TargetKind

Command = tuple[str, Params]

_DRAWN: tuple[TargetKind, ...] = ("page", "iframe")


def commands_for(names: Iterable[str], settings: Settings, kind: TargetKind) -> list[Command]:
    """The commands for these conditions, as the settings have them. What Chrome cannot do for a kind is left out."""
    makers = dict.fromkeys(_MAKERS[name] for name in sorted(names) if name in _MAKERS)
    return [command for make in makers for command in make(settings, kind)]


def _viewport(settings: Settings, kind: TargetKind) -> Iterator[Command]:
    screen = settings.viewport
    if kind == "page" and screen is None:
        yield "Emulation.clearDeviceMetricsOverride", {}
    elif kind == "page" and screen is not None:
        yield (
            "Emulation.setDeviceMetricsOverride",
            {
                "width": screen.width,
                "height": screen.height,
                "deviceScaleFactor": screen.scale,
                "mobile": screen.mobile,
                "screenWidth": screen.width,
                "screenHeight": screen.height,
            },
        )
    if kind in _DRAWN:
        touch = screen is not None and screen.touch
        yield "Emulation.setTouchEmulationEnabled", {"enabled": touch, **({"maxTouchPoints": 5} if touch else {})}


def _network(settings: Settings, kind: TargetKind) -> Iterator[Command]:
    network = settings.network
    state: Params = {
        "offline": network is not None and network.offline,
        "latency": network.latency_ms if network else 0,
        # In bytes, and -1 for no limit.
        "downloadThroughput": network.down_kbps * 125 if network and network.down_kbps else -1,
        "uploadThroughput": network.up_kbps * 125 if network and network.up_kbps else -1,
    }
    rules = [{"urlPattern": "", **state}] if network else []
    yield "Network.emulateNetworkConditionsByRule", {"matchedNetworkConditions": rules}
    if kind != "worker":
        # What `navigator` says of it.
        yield "Network.overrideNetworkState", state


def _cpu(settings: Settings, kind: TargetKind) -> Iterator[Command]:
    if kind in _DRAWN:
        yield "Emulation.setCPUThrottlingRate", {"rate": settings.cpu}


def _media(settings: Settings, kind: TargetKind) -> Iterator[Command]:
    if kind in _DRAWN:
        media = dict(settings.media)
        medium = media.pop("type", "")
        features = [{"name": name, "value": value} for name, value in media.items()]
        yield "Emulation.setEmulatedMedia", {"media": medium, "features": features}


def _locale(settings: Settings, kind: TargetKind) -> Iterator[Command]:
    # It holds for a whole process. Chrome refuses it to all sessions there but the first.
    yield "Emulation.setLocaleOverride", {"locale": settings.locale} if settings.locale else {}
    yield from _identity(settings, kind)


def _identity(settings: Settings, _: TargetKind) -> Iterator[Command]:
    # The languages of `navigator` and of requests come with the user agent.
    language = {"acceptLanguage": settings.locale} if settings.locale else {}
    yield "Emulation.setUserAgentOverride", {"userAgent": settings.user_agent, **language}


def _timezone(settings: Settings, _: TargetKind) -> Iterator[Command]:
    yield "Emulation.setTimezoneOverride", {"timezoneId": settings.timezone}


def _geolocation(settings: Settings, kind: TargetKind) -> Iterator[Command]:
    place = settings.geolocation
    if kind not in _DRAWN:
        return
    if place is None:
        yield "Emulation.clearGeolocationOverride", {}
    elif place.latitude is None:
        yield "Emulation.setGeolocationOverride", {}
    else:
        where = {"latitude": place.latitude, "longitude": place.longitude, "accuracy": place.accuracy}
        yield "Emulation.setGeolocationOverride", where


def _headers(settings: Settings, _: TargetKind) -> Iterator[Command]:
    yield "Network.setExtraHTTPHeaders", {"headers": dict(settings.headers)}


def _blocked(settings: Settings, _: TargetKind) -> Iterator[Command]:
    yield "Network.setBlockedURLs", {"urls": [chrome_pattern(pattern) for pattern in settings.blocked]}


def _mocks(settings: Settings, kind: TargetKind) -> Iterator[Command]:
    # Chrome answers the requests of dedicated workers in their page, and never those of shared ones.
    if kind in (*_DRAWN, "service_worker"):
        if settings.mocks:
            patterns = dict.fromkeys(chrome_pattern(mock.url) for mock in settings.mocks)
            yield "Fetch.enable", {"patterns": [{"urlPattern": pattern} for pattern in patterns]}
        else:
            yield "Fetch.disable", {}


_MAKERS: dict[str, Callable[[Settings, TargetKind], Iterator[Command]]] = {
    "viewport": _viewport,
    "network": _network,
    "cpu": _cpu,
    "media": _media,
    "locale": _locale,
    "user_agent": _identity,
    "timezone": _timezone,
    "geolocation": _geolocation,
    "headers": _headers,
    "blocked": _blocked,
    "mocks": _mocks,
}
