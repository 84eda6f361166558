"""What a person asked for on the command line, in the parts that use it."""

from pathlib import Path

from attrs import frozen

from gasoline_cdp.browser.launched import Launched
from gasoline_cdp.browser.provider import Provider
from gasoline_cdp.capture.bodies import BodyMode


@frozen(kw_only=True)
class CaptureOptions:
    """What is captured beyond the rest, which always is."""

    bodies: BodyMode = "errors"
    websockets: bool = True


@frozen(kw_only=True)
class ServeOptions:
    """What is served to assistants and programs, and where."""

    pilot: bool = False
    # Where to serve HTTP (0: any free port), and whether to do without a token there.
    port: int | None = None
    no_token: bool = False
    # Whether to open the tab with the pilot's switch; None: in a browser of our own that has a window.
    switch_tab: bool | None = None
    # Where files may be written.
    artifacts: Path | None = None


@frozen(kw_only=True)
class Config:
    """All that a daemon is told."""

    browser: Provider = Launched()
    # The address to open once the browser is there.
    url: str | None = None
    capture: CaptureOptions = CaptureOptions()
    serve: ServeOptions = ServeOptions()
    # The directory that the command was given in.
    directory: Path | None = None
    # Under tests an event handler that fails ends the daemon, where otherwise it is logged and counted.
    strict: bool = False
