"""The daemon as an editor's bridge starts it: detached, with a bounded log, and one line that says how it went."""

import os
import sys
from typing import Any

from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.local.starting import DAEMON_LOG_BYTES


@frozen
class Background:
    """The one who waits for a daemon without a terminal, and is told once how its start went."""

    _report: int

    def listening(self) -> None:
        """Tell the bridge that it may connect."""
        self._tell({"listening": True})

    def refused(self, error: GasolineError) -> None:
        """Tell the bridge why there will be no daemon; it tells its editor."""
        self._tell({"error": error.code.value, "message": error.message})

    def misunderstood(self, text: str) -> None:
        """Tell the bridge that its command line was wrong."""
        self._tell({"usage": text})

    def _tell(self, told: dict[str, Any]) -> None:
        try:
            os.write(self._report, wire.encode(told) + b"\n")
        except OSError:
            # The bridge has been killed meanwhile. Others may come.
            return
        finally:
            os.close(self._report)


def detach() -> Background:
    """Leave the bridge's pipe to the first report, its directory to whoever removes it, and keep the log short."""
    report = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.close(nothing)
    os.chdir(os.sep)
    sys.stderr = _Log()
    return Background(report)


class _Log:
    """Standard error that starts anew when it has grown too long: with --verbose a daemon says much."""

    def write(self, text: str) -> int:
        if os.fstat(2).st_size > DAEMON_LOG_BYTES:
            os.ftruncate(2, 0)
        os.write(2, text.encode(errors="replace"))
        return len(text)

    def flush(self) -> None:
        """Everything has been written."""
