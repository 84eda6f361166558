"""The daemon in the background, started by an editor's bridge: detached, with a bounded log, and one start report."""

import os
import sys
from typing import Any

from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.local.starting import DAEMON_LOG_BYTES


@frozen
class Background:
    """The pipe to the bridge that waits for the daemon. The daemon reports once how its start went."""

    _report: int

    def listening(self) -> None:
        """Tell the bridge that it may connect."""
        self._tell({"listening": True})

    def refused(self, error: GasolineError) -> None:
        """Tell the bridge why there is no daemon. The bridge tells its editor."""
        self._tell({"error": error.code.value, "message": error.message})

    def misunderstood(self, text: str) -> None:
        """Tell the bridge that its command line was wrong."""
        self._tell({"usage": text})

    def _tell(self, report: dict[str, Any]) -> None:
        try:
            os.write(self._report, wire.encode(report) + b"\n")
        except OSError:
            # The bridge was killed meanwhile. Others may connect.
            return
        finally:
            os.close(self._report)


def detach() -> Background:
    """Detach from the bridge: keep its pipe for the start report only, leave its directory, and bound the log."""
    report = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.close(nothing)
    os.chdir(os.sep)
    sys.stderr = _Log()
    return Background(report)


class _Log:
    """Standard error that is truncated when it is too long: with --verbose a daemon logs a lot."""

    def write(self, text: str) -> int:
        if os.fstat(2).st_size > DAEMON_LOG_BYTES:
            os.ftruncate(2, 0)
        os.write(2, text.encode(errors="replace"))
        return len(text)

    def flush(self) -> None:
        """Do nothing: writes are not buffered."""
