"""Checks whether what led to an issue happened again. Only then does its absence mean that it is resolved."""

from typing import get_args

from attrs import evolve, frozen

from gasoline_cdp.analysis.compare.snapshots import BY_USE, Endpoint, FindingKind, SessionIssue, SessionSnapshot, Socket
from gasoline_cdp.analysis.compare.triggers import Trigger, is_same, load_of, to_retry
from gasoline_cdp.analysis.performance.loads import path_of

_FINDINGS = frozenset(get_args(FindingKind))


@frozen
class IssueEvidence:
    """Why an issue counts as resolved; if it does not, what to try again."""

    holds: bool
    words: str


class Evidence:
    """What the second snapshot says about issues of the first that it does not have."""

    def __init__(self, before: SessionSnapshot, after: SessionSnapshot) -> None:
        # Under other conditions nothing was tried again.
        self._differs = before.conditions != after.conditions
        self._conditions = f"under the same conditions ({'; '.join(before.conditions) or 'none'})"
        self._known = {endpoint.name for endpoint in before.network}
        self._after = after
        self._retries = after.retries
        self._now = {endpoint.name: endpoint for endpoint in after.network}
        self._sockets = {socket.name: socket for socket in after.websockets}
        # What has to be repeated for the issues without evidence.
        self.missed: list[Trigger] = []

    def of_issue(self, issue: SessionIssue) -> IssueEvidence:
        """Evidence for an error or finding that is no longer there."""
        if self._differs:
            return IssueEvidence(holds=False, words=f"try it again {self._conditions}")
        if issue.type in _FINDINGS:
            return self._of_finding(issue)
        missing = self._missing(issue.triggers or (Trigger(cause=load_of(issue.page)),))
        if missing:
            self.missed += missing
            return IssueEvidence(holds=False, words=to_retry(missing))
        return IssueEvidence(
            holds=True, words=f"not seen after: {to_retry(_plain(issue.triggers))}" if issue.triggers else ""
        )

    def of_endpoint(self, endpoint: Endpoint) -> IssueEvidence:
        """Evidence for an endpoint that no longer fails."""
        if endpoint.name in self._after.mocked:
            return IssueEvidence(holds=False, words=f"call {endpoint.name} without the mock that answered it")
        if self._differs:
            return IssueEvidence(holds=False, words=f"call {endpoint.name} again {self._conditions}")
        called = self._now.get(endpoint.name)
        if called is not None and called.calls >= endpoint.tries:
            times = "once" if called.calls == 1 else f"{called.calls} times"
            return IssueEvidence(holds=True, words=f"the endpoint was called {times} and answered {called.status}")
        if called is not None and called.calls:
            return IssueEvidence(holds=False, words=f"call it {endpoint.tries} times: it did not fail each time")
        missing = self._missing(endpoint.triggers)
        if not missing and endpoint.triggers:
            if endpoint.static:
                return IssueEvidence(
                    holds=True, words=f"no longer asked for after: {to_retry(_plain(endpoint.triggers))}"
                )
            if (instead := self._instead(endpoint.triggers)) is not None:
                return IssueEvidence(holds=True, words=f"{instead.name} → {instead.status} is called instead")
        self.missed += endpoint.triggers
        return IssueEvidence(holds=False, words=_so_that(endpoint.triggers, f"{endpoint.name} is called"))

    def of_socket(self, socket: Socket) -> IssueEvidence:
        """Evidence for a socket that no longer fails."""
        if self._differs:
            return IssueEvidence(holds=False, words=f"open it again {self._conditions}")
        again = self._sockets.get(socket.name)
        if again is not None and again.state != "connecting":
            return IssueEvidence(holds=True, words=f"it was opened again and is {again.state}")
        self.missed += socket.triggers
        return IssueEvidence(holds=False, words=_so_that(socket.triggers, "it is opened"))

    def _missing(self, triggers: tuple[Trigger, ...]) -> tuple[Trigger, ...]:
        missing = self._retries.missing(triggers)
        # Another endpoint is enough: calling the right one may be the fix.
        return tuple(
            trigger
            for trigger in missing
            if not trigger.via
            or trigger.via in self._now
            or self._instead((trigger,)) is None
            or self._retries.missing((evolve(trigger, via=""),))
        )

    def _instead(self, triggers: tuple[Trigger, ...]) -> Endpoint | None:
        """A new endpoint that works and comes from the same action.

        Loads do not count: they call too many endpoints.
        """
        done = [trigger.cause for trigger in triggers if trigger.cause.kind == "action"]
        return next(
            (
                endpoint
                for endpoint in self._after.network
                if endpoint.name not in self._known
                and endpoint.calls
                and not endpoint.failed
                and not endpoint.static
                and any(is_same(one.cause, cause) for one in endpoint.triggers for cause in done)
            ),
            None,
        )

    def _of_finding(self, issue: SessionIssue) -> IssueEvidence:
        if issue.shown_by == BY_USE:
            tried, retry = issue.page in self._after.pages, f"use {issue.page}"
        elif issue.shown_by:
            called = self._now.get(issue.shown_by)
            tried, retry = bool(called and called.calls), f"have {issue.shown_by} called"
        else:
            # Audits check the page that the tab shows.
            tried = not issue.page or issue.page == path_of(self._after.page_url)
            retry = f"open {issue.page}, then compare"
        return IssueEvidence(holds=tried, words="checked again, and not found" if tried else retry)


def _so_that(triggers: tuple[Trigger, ...], what: str) -> str:
    done = to_retry(_plain(triggers))
    if done and all(trigger.cause.kind == "load" for trigger in triggers):
        return done
    return f"{done or 'try again'} so that {what}"


def _plain(triggers: tuple[Trigger, ...]) -> tuple[Trigger, ...]:
    return tuple(evolve(trigger, via="", seconds=0.0, tries=1) for trigger in triggers)
