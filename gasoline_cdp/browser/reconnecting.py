"""Makes a lost connection to an attached browser again, a bounded number of times, and keeps account of the gaps."""

import time

import trio
from attrs import define, field

from gasoline_cdp.browser.provider import BrowserLife
from gasoline_cdp.browser.status import BrowserStatus, Gap
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.remote_limits import RECONNECT_PAUSES, STEADY_SECONDS
from gasoline_cdp.times import iso


@define(eq=False)
class Reconnection:
    """The connection of one browser: whether it is lost, since when, and how often it was tried again."""

    status: BrowserStatus
    # Whether to go on if nobody listens at an address of this machine: its owner may be about to start again.
    patient: bool = True
    reason: str = ""
    _since: float = 0.0
    _attempts: int = 0
    _connected_at: float = field(factory=time.monotonic)

    @property
    def is_lost(self) -> bool:
        """Whether the connection is being made again."""
        return bool(self.reason)

    def lost(self, life: BrowserLife, reason: str, open_targets: frozenset[str]) -> None:
        """The connection is lost, for this reason and with these tabs open."""
        if time.monotonic() - self._connected_at >= STEADY_SECONDS:
            self._attempts = 0
        self.reason = reason
        # What we received last may be older than the moment at which we noticed.
        self._since = time.time() - life.connection.quiet_seconds()
        self.status.lost = open_targets
        self.status.state = "reconnecting"
        self.status.tell(
            f"The connection to the browser was lost: {reason}. Nothing is seen since {iso(self._since)}; what was "
            "captured before is still here. The connection is being made again."
        )

    async def pause(self) -> bool:
        """Wait before the next attempt. False if there is none left."""
        if self._attempts >= len(RECONNECT_PAUSES):
            return False
        await trio.sleep(RECONNECT_PAUSES[self._attempts])
        self._attempts += 1
        return True

    def goes_on(self, error: GasolineError) -> bool:
        """Whether to try again after this error."""
        if not self.is_lost or error.details.get("final"):
            return False
        return self.patient or not error.details.get("refused")

    def restored(self, open_targets: frozenset[str]) -> None:
        """The connection is there again, with these tabs open."""
        self._connected_at = time.monotonic()
        if not self.is_lost:
            return
        gap = Gap(since=self._since, until=time.time(), reason=self.reason)
        self.status.gaps.append(gap)
        self.status.gaps_total += 1
        self.reason = ""
        text = (
            f"The connection to the browser was lost from {iso(gap.since)} to {iso(gap.until)}: {gap.reason}. It is "
            "there again. What pages did in between is missing, except requests that they remember."
        )
        before, self.status.lost = self.status.lost, frozenset()
        if before and not before & open_targets:
            text += " None of the tabs from before is there: it is another browser, or they were closed."
        self.status.tell(text)

    def given_up(self, error: GasolineError | None) -> GasolineError:
        """What to say when the connection could not be made again."""
        why = error.message if error is not None else "It kept breaking."
        tried = f" after {self._attempts} attempts" if self._attempts > 1 else ""
        message = (
            f"The browser went away: {self.reason}, at {iso(self._since)}, and the connection could not be made "
            f"again{tried}. {why} What was captured before is kept as long as this runs."
        )
        return GasolineError(Code.BROWSER_CRASHED, message)
