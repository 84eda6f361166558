"""The conditions in force, as plain values, and how they read."""

from collections.abc import Iterator

from attrs import fields, frozen

from gasoline_cdp.analysis.conditions.mocks import Mock


@frozen(kw_only=True)
class Screen:
    """The size of pages in CSS pixels."""

    width: int
    height: int
    scale: float = 1.0
    mobile: bool = False
    touch: bool = False

    @property
    def words(self) -> str:
        """`390x844@3 mobile touch`."""
        kinds = "".join(f" {name}" for name in ("mobile", "touch") if getattr(self, name))
        return f"{self.width}x{self.height}@{self.scale:g}{kinds}"


@frozen(kw_only=True)
class NetworkThrottle:
    """How slow the network is. Without a rate there is no limit."""

    offline: bool = False
    latency_ms: int = 0
    down_kbps: int = 0
    up_kbps: int = 0

    @property
    def words(self) -> str:
        """`latency 400 ms, down 400 kbit/s, up 400 kbit/s`."""
        if self.offline:
            return "offline"
        rates = (("down", self.down_kbps), ("up", self.up_kbps))
        limited = [f"{name} {rate} kbit/s" for name, rate in rates if rate]
        return ", ".join([f"latency {self.latency_ms} ms", *limited])


@frozen(kw_only=True)
class Geolocation:
    """Where the device is. None: it does not know."""

    latitude: float | None = None
    longitude: float | None = None
    accuracy: float = 10.0

    @property
    def words(self) -> str:
        """`52.5,13.4`."""
        return "unavailable" if self.latitude is None else f"{self.latitude:g},{self.longitude:g}"


@frozen(kw_only=True)
class Settings:
    """All conditions. What is None or empty is as the browser has it."""

    viewport: Screen | None = None
    network: NetworkThrottle | None = None
    cpu: float = 1.0
    # Chrome's names of features with their values; `type` is the medium.
    media: tuple[tuple[str, str], ...] = ()
    locale: str = ""
    timezone: str = ""
    user_agent: str = ""
    geolocation: Geolocation | None = None
    permissions: tuple[tuple[str, str], ...] = ()
    # Values may be secret: only names are shown.
    headers: tuple[tuple[str, str], ...] = ()
    blocked: tuple[str, ...] = ()
    mocks: tuple[Mock, ...] = ()

    def changed(self, other: "Settings") -> set[str]:
        """The names of the conditions that differ."""
        return {one.name for one in fields(Settings) if getattr(self, one.name) != getattr(other, one.name)}

    def words(self) -> Iterator[str]:
        """Each condition in force. Texts of the caller: a secret may be among them."""
        said = {
            "viewport": self.viewport.words if self.viewport else "",
            "network": self.network.words if self.network else "",
            "cpu": f"{self.cpu:g} times slower" if self.cpu > 1 else "",
            "media": _pairs(self.media),
            "locale": self.locale,
            "timezone": self.timezone,
            "user_agent": self.user_agent,
            "geolocation": self.geolocation.words if self.geolocation else "",
            "permissions": _pairs(self.permissions),
            "headers": ", ".join(name for name, _ in self.headers),
            "blocked": ", ".join(self.blocked),
        }
        yield from (f"{name} {words}" for name, words in said.items() if words)
        yield from (f"mock {mock.words}" for mock in self.mocks)


def _pairs(pairs: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(f"{name} {value}" for name, value in pairs)


NORMAL = Settings()
