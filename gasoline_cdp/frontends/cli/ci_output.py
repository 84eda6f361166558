"""What `ci` says: on a terminal, as plain lines in a log, and in groups on GitHub. All of it on standard error."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gasoline_cdp.analysis.gates.allowances import GateFinding
from gasoline_cdp.frontends.invocation import NAME, as_typed

if TYPE_CHECKING:
    from gasoline_cdp.artifacts.pr_summary import RunFacts

_LISTED = 20
# GitHub shows ten annotations of a step.
_ANNOTATIONS = 10
_TEXT_CHARS = 300


class CiOutput:
    """Prints for whoever reads it."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._github = environ.get("GITHUB_ACTIONS") == "true"
        self._terminal = sys.stderr.isatty() and not self._github
        self._colour = self._terminal and not environ.get("NO_COLOR")

    def say(self, text: str) -> None:
        """One line."""
        self._clear()
        self._print(f"{NAME}: {as_typed(text)}")

    def problem(self, text: str) -> None:
        """One line about something that went wrong."""
        self._clear()
        self._print(f"{NAME}: {self._painted(as_typed(text), '31')}")

    def progress(self, text: str) -> None:
        """What is going on now: a line that is replaced on a terminal, and nothing in a log."""
        if self._terminal:
            self._clear()
            print(f"{NAME}: {text} …", end="", file=sys.stderr, flush=True)

    def _clear(self) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr)

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """What belongs together. GitHub folds it."""
        if self._github:
            self._print(f"::group::{_data(title)}")
        try:
            yield
        finally:
            self._clear()
            if self._github:
                self._print("::endgroup::")

    def verdict(self, facts: "RunFacts") -> None:
        """The verdict, the failures, and what to do about allowances."""
        from gasoline_cdp.artifacts.pr_summary import one_line  # noqa: PLC0415 - not needed while tests run

        verdict = facts.verdict
        with self.group(f"{NAME}: {one_line(facts)}"):
            for gate_finding in verdict.failures[:_LISTED]:
                self._print(f"  {self._painted(gate_finding.gate, '31')} {_line(gate_finding)}")
            if len(verdict.failures) > _LISTED:
                self._print(f"  and {len(verdict.failures) - _LISTED} more")
            for allowance, count in verdict.expired:
                matched = f"{count} would match it" if count else "nothing matches it"
                self._print(f"  allowance expired on {allowance.until}, {matched}: {allowance}")
            for allowance in verdict.unused:
                self._print(f"  allowance not needed any more: {allowance}")
            for text in (*verdict.not_checked, *facts.notes):
                self._print(f"  not checked: {_flat(text)}")
        if self._github:
            for gate_finding in verdict.failures[:_ANNOTATIONS]:
                self._print(f"::error title={_property(gate_finding.gate)}::{_data(_line(gate_finding))}")
        (self.say if verdict.passed else self.problem)(one_line(facts))

    def _painted(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colour else text

    def _print(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def _line(gate_finding: GateFinding) -> str:
    finding = gate_finding.finding
    where = finding.location.text()
    parts = (
        _flat(finding.title),
        f"({where})" if where and where not in finding.title else "",
        f"× {finding.count}" if finding.count > 1 else "",
        f"[{gate_finding.test}]" if gate_finding.test else "",
    )
    return " ".join(part for part in parts if part)[: _TEXT_CHARS * 2]


def _flat(text: str) -> str:
    """Text of a page in one line, so that none of it is taken for a command of the runner."""
    return " ".join(text.split())[:_TEXT_CHARS].replace("##[", "# #[")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
