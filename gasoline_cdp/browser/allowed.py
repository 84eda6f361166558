"""Which browsers programs may ask us to attach to: those of this machine, and of hosts that a person allowed."""

from pathlib import Path

from attrs import frozen

from gasoline_cdp.cdp.endpoint import is_loopback, shown_address, split_address
from gasoline_cdp.errors import Code, GasolineError

_PATH = "/devtools/browser/"
_PORTS = {"ws": 80, "wss": 443}

# What identifies a browser: on this machine its port and path, which is random; elsewhere the whole address.
Identity = tuple[int | None, str]


@frozen(kw_only=True)
class Allowed:
    """What a person allowed at the start: hosts, with a port if only that one, and an authority to trust."""

    hosts: tuple[str, ...] = ()
    ca_file: Path | None = None

    def key(self, ws_endpoint: str) -> Identity:
        """The identity of a browser that may be attached to. Raises `invalid_params` for others."""
        parts = split_address(ws_endpoint, {"ws", "wss"})
        if parts is not None:
            local = is_loopback(parts.hostname or "")
            if local and parts.scheme == "ws" and parts.path.startswith(_PATH):
                return parts.port, parts.path
            host, port = (parts.hostname or "").lower(), parts.port or _PORTS[parts.scheme]
            if host in self.hosts or f"{host}:{port}" in self.hosts:
                return identity_of(ws_endpoint)
        raise GasolineError(
            Code.INVALID_PARAMS,
            f"ws_endpoint must be the address of a browser on this machine, such as ws://127.0.0.1:9222{_PATH}UUID, "
            f"not {shown_address(ws_endpoint)[:60]!r}. A person can allow other hosts at the start: --allow-browsers.",
            problems=["ws_endpoint is no debugging address of this machine"],
        )


ONLY_HERE = Allowed()


def identity_of(address: str) -> Identity:
    """What identifies the browser at an address."""
    parts = split_address(address, {"ws", "wss"})
    if parts is not None and is_loopback(parts.hostname or "") and parts.path.startswith(_PATH):
        return parts.port, parts.path
    return None, address
