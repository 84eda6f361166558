"""What a person asked for on the command line, divided by who uses it."""

from pathlib import Path

from attrs import field, frozen

from gasoline_cdp.analysis.gates.gate import Gate
from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.browser.provider import Provider
from gasoline_cdp.capture.bodies import BodyMode


@frozen(kw_only=True)
class CaptureOptions:
    """What is captured in addition to what always is."""

    bodies: BodyMode = "errors"
    websockets: bool = True
    # Read the variables where exceptions are thrown, from the start.
    catch: bool = False


@frozen(kw_only=True)
class ServeOptions:
    """What is served to assistants and programs, and where."""

    pilot: bool = False
    # Where to serve HTTP (0: any free port), and whether to do so without a token.
    port: int | None = None
    no_token: bool = False
    # Hosts at which programs may name browsers to attach to; those of this machine they may always.
    allow_browsers: tuple[str, ...] = ()
    # Whether to open the tab with the pilot's switch. None: in a browser that we start with a window.
    switch_tab: bool | None = None
    # Where files may be written.
    artifacts: Path | None = None
    # Whose files may be uploaded to pages.
    uploads: Path | None = None


@frozen(kw_only=True)
class ExportOptions:
    """Where what is captured is sent. Nothing is sent without an endpoint, and only a person can name one."""

    otlp_endpoint: str | None = None
    # Credentials, mostly: never shown.
    otlp_header: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@frozen(kw_only=True)
class Config:
    """All options of a daemon."""

    browser: Provider = Launched()
    # The address to open once the browser is connected.
    url: str | None = None
    capture: CaptureOptions = CaptureOptions()
    serve: ServeOptions = ServeOptions()
    export: ExportOptions = ExportOptions()
    # The gates that were asked for on the command line; None: those of the project's files.
    fail_on: tuple[Gate, ...] | None = None
    # The working directory of the command.
    directory: Path | None = None
    # In tests a failing event handler ends the daemon. Otherwise it is logged and counted.
    strict: bool = False
