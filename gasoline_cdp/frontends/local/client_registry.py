"""The clients of the daemon: admits them, counts them, and knows when none is left."""

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import trio
from attrs import define, field, fields

from gasoline_cdp import __version__, limits
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.cdp.endpoint import shown_address
from gasoline_cdp.cdp.named_tabs import NamedTabs
from gasoline_cdp.config import Config
from gasoline_cdp.errors import Code
from gasoline_cdp.frontends.client_options import ClientOptions, client_options_of
from gasoline_cdp.frontends.invocation import UsageError
from gasoline_cdp.frontends.local.bridge import PROTOCOL
from gasoline_cdp.frontends.options import config_of, parse
from gasoline_cdp.operations.client import Client
from gasoline_cdp.store.shown_records import ShownRecords

# How options are typed, where that differs from their name. Fields of `Config` outside its parts are not compared:
# `url` is opened, `strict` is for tests, and the budgets come from the directory that the daemon was started in.
_TYPED = {"websockets": "--no-websockets", "extra": "flags for Chrome behind --", "headers": "--header"}
# Their values may hold credentials.
_ADDRESSES = {"browser_url", "ws_endpoint"}


@define(eq=False)
class ClientRegistry:
    """The clients of this daemon. `leave` is set when the daemon is to end at the request of a client."""

    config: Config
    pid: int
    # Whether an editor's bridge started the daemon. Such a daemon also ends by itself.
    for_editors: bool
    open_page: Callable[[str], None]
    leave: trio.Event = field(factory=trio.Event)
    clients: int = 0
    # What named clients were shown, for when they reconnect.
    _shown: BoundedDict[str, ShownRecords] = field(factory=lambda: BoundedDict(limits.CLIENTS_REMEMBERED))
    _changed: trio.Event = field(factory=trio.Event)

    @contextmanager
    def present(self) -> Iterator[None]:
        """Count a client as connected while the block lasts."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, difference: int) -> None:
        self.clients += difference
        self._changed.set()
        self._changed = trio.Event()

    async def wait_idle(self, seconds: float) -> None:
        """Return when no client has been connected for this long."""
        while True:
            changed = self._changed
            with trio.move_on_after(seconds if self.clients == 0 else float("inf")) as waiting:
                await changed.wait()
            if waiting.cancelled_caught:
                return

    def client_of(self, hello: dict[str, Any], kind: Literal["mcp", "cli"]) -> Client:
        """The client of a first message. Connections with the same name share what they were shown."""
        name = str(hello.get("client") or "")[: limits.CLIENT_NAME_CHARS]
        if not name:
            return Client(kind)
        shown = self._shown[name] = self._shown.get(name) or ShownRecords()
        return Client(kind, shown)

    def admit(self, hello: dict[str, Any]) -> tuple[dict[str, Any], ClientOptions]:
        """The response to an MCP client's first message, and the client's options. A `welcome` admits it."""
        own = ClientOptions()
        version = str(hello.get("version"))
        if version != __version__ and self.for_editors and self.clients == 0:
            # Nobody uses this daemon: make room for one of the client's version.
            self.leave.set()
            return {"leaving": self.pid}, own
        if hello.get("protocol") != PROTOCOL:
            message = (
                f"The gasoline-cdp that runs (process {self.pid}) is version {__version__} and cannot speak "
                f"with version {version}. End it, and call again: gasoline-cdp stop"
            )
            return {"error": Code.DAEMON_RUNNING.value, "message": message}, own
        notes = []
        if version != __version__:
            notes.append(
                f"Joined gasoline-cdp {__version__} (process {self.pid}), which runs already; this is {version}. "
                "To use this version: gasoline-cdp stop. The next call then starts it."
            )
        arguments = hello.get("arguments")
        if isinstance(arguments, list) and arguments:
            try:
                options, ignored = self._join([str(argument) for argument in arguments], hello.get("directory"))
            except UsageError as error:
                return {"usage": str(error)}, own
            own = client_options_of(options)
            notes += ignored
        return {"welcome": {"version": __version__, "pid": self.pid, "notes": notes}}, own

    def _join(self, arguments: list[str], directory_name: Any) -> tuple[Namespace, list[str]]:
        """Apply those options of a joining client that can be applied now. Returns notes about the others."""
        directory = Path(str(directory_name))
        try:
            options = parse(["mcp", *arguments], directory)
        except SystemExit:
            # A request for help that the bridge did not recognise. The exit must not end the daemon.
            raise UsageError("gasoline-cdp mcp: for help, type --help alone.") from None
        asked = config_of(options, directory)
        if asked.url and asked.url != self.config.url:
            self.open_page(asked.url)
        ignored = not_applied(asked, self.config)
        note = (
            f"Joined the gasoline-cdp that runs already (process {self.pid}). Not applied, since it was started "
            f"without: {', '.join(ignored)}. To have it otherwise: gasoline-cdp stop. The next call then starts it."
        )
        return options, [note] if ignored else []


def not_applied(asked: Config, running: Config) -> list[str]:
    """The options that a client asked for and that the running daemon does not have, as they are typed."""
    parts: list[tuple[Any, Any]] = [
        (asked.browser, running.browser),
        (asked.capture, running.capture),
        (asked.serve, running.serve),
        (asked.export, running.export),
    ]
    return [
        _typed(option.name, value)
        for wanted, present in parts
        for option in fields(type(wanted))
        # A launched browser has no address to attach to, and the other way round.
        if (value := getattr(wanted, option.name)) not in (option.default, getattr(present, option.name, None))
    ]


def _typed(name: str, value: object) -> str:
    if name == "headless":
        return "--headless" if value else "--headed"
    typed = _TYPED.get(name) or f"--{name.replace('_', '-')}"
    if name in _ADDRESSES:
        return f"{typed} {shown_address(str(value))}"
    return typed if isinstance(value, bool | tuple | NamedTabs) else f"{typed} {value}"
