"""What the endpoints of a page have answered so far, and where their newest answers deviate."""

import json
import re
from collections import Counter, deque
from typing import Any, Literal

from attrs import define, field

from gasoline_cdp import limits
from gasoline_cdp.analysis.contracts.exchanges import ABSENT, ErrorShapes, Exchange, SentShapes
from gasoline_cdp.analysis.contracts.shape_tree import Diff, Node, compare, learn, shown
from gasoline_cdp.detect.pii import find_pii
from gasoline_cdp.findings import Finding, Location, Severity, by_alert_level
from gasoline_cdp.redact import REDACTED, mask_named, safe_text

ViolationType = Literal["error_spike", "shape_change", "type_change", "array_shape_change", "new_field", "null_field"]

# A deviation is reported only after so many consistent answers.
_ESTABLISHED = 3
_SAMPLE_CHARS = 60
_GRAPHQL = {"data", "errors", "extensions"}


@define
class Deviation:
    """One way in which answers deviate from the shape."""

    diff: Diff
    count: int
    first_ts: float
    last_ts: float
    # The newest answer has it too. A deviation that disappeared was an optional field or a union, and is learned.
    active: bool = True


@define(eq=False)
class Contract:
    """One endpoint: how often it was called, how it answered, and the shape of its successful answers."""

    endpoint: str
    method: str
    path: str
    origin: str = ""
    calls: int = 0
    statuses: Counter[int] = field(factory=Counter)
    # The newest answers, oldest first: status, and whether it was a success.
    history: deque[tuple[int, bool]] = field(factory=lambda: deque(maxlen=limits.STATUS_HISTORY))
    shape: Node = field(factory=Node)
    learned: int = 0
    conforming: int = 0
    deviations: dict[tuple[str, str], Deviation] = field(factory=dict)
    first_ts: float = 0.0
    last_ts: float = 0.0
    last_error: str = ""
    newest: Node | None = None
    sent: SentShapes = field(factory=SentShapes)
    # What was sent with requests that were answered with an error: often of the wrong types.
    refused: SentShapes = field(factory=SentShapes)
    errors: ErrorShapes = field(factory=ErrorShapes)
    # There were more deviations than we keep.
    deviations_full: bool = False

    def observe(
        self, status: int, value: Any, ts: float, error_text: str = "", exchange: Exchange | None = None
    ) -> None:
        """Learn one more answer. `value` is its JSON, or ABSENT. `error_text` is safe to show."""
        self.calls += 1
        self.statuses[status] += 1
        self.first_ts = self.first_ts or ts
        self.last_ts = ts
        # A page that sends If-None-Match itself gets a 304: what it has is still valid.
        success = (200 <= status < 300 or status == 304) and not _failed_inside(value)
        self.history.append((status, success))
        if exchange is not None:
            (self.sent if status < 400 else self.refused).learn(exchange)
            self.errors.learn(status, exchange, value, success=success)
        if not success:
            self.last_error = error_text
        elif value is not ABSENT:
            self._success(value, ts)
        else:
            self.conforming += 1

    def _success(self, value: Any, ts: float) -> None:
        diffs: dict[tuple[str, str], Diff] = {}
        if self.learned >= _ESTABLISHED:
            for diff in compare(self.shape, value):
                diffs.setdefault((diff.kind, diff.path), diff)
        for key, known in self.deviations.items():
            if known.active and key not in diffs and _covers(value, key[1]):
                # It disappeared, so it is a permitted variation.
                known.active = False
                _allow(self.shape, known.diff)
        for key, diff in diffs.items():
            self._deviates(key, diff, ts)
        if not diffs:
            self.conforming += 1
            self.newest = None
        else:
            self.newest = Node()
            learn(self.newest, value, 0)
        learn(self.shape, value, self.learned, diffs)
        self.learned += 1

    def _deviates(self, key: tuple[str, str], diff: Diff, ts: float) -> None:
        known = self.deviations.get(key)
        if known is None:
            if len(self.deviations) < limits.DEVIATIONS_PER_ENDPOINT:
                # Do not keep the value itself, only its redacted sample.
                kept = Diff(diff.kind, diff.path, diff.was, diff.now, _sample(diff))
                self.deviations[key] = Deviation(kept, 1, ts, ts)
            else:
                self.deviations_full = True
            return
        known.count += 1
        known.last_ts = ts
        known.active = True

    @property
    def operation(self) -> str:
        """The operation called: for GraphQL and JSON-RPC."""
        return " ".join(self.endpoint.split(" ")[2:])

    @property
    def consistency(self) -> str:
        """Share of the calls that were answered with the learned shape."""
        return f"{100 * self.conforming // self.calls}%" if self.calls else "100%"

    def sent_shapes(self) -> SentShapes:
        """What accepted calls send; if none was accepted, what calls tried to send."""
        return self.sent.joined(self.refused)

    def established_shape(self) -> Any:
        """The shape to a depth of three, or None if there was no JSON."""
        return shown(self.shape) if self.learned else None

    def violations(self) -> list[Finding]:
        """What the newest answers break, the worst first. The rule is a `ViolationType`."""
        violations = [spike] if (spike := self._error_spike()) else []
        active = [known for known in self.deviations.values() if known.active]
        violations += self._changed_fields(active)
        violations += [
            self._changed_type(known) for known in active if known.diff.kind in ("type_change", "null_field")
        ]
        return by_alert_level(violations)

    def _violation(
        self,
        rule: ViolationType,
        severity: Severity,
        description: str,
        evidence: dict[str, Any],
        occurrences: dict[str, Any],
        *,
        path: str = "",
    ) -> Finding:
        """A contract violation, described by paths and types. `path` is the path of one field."""
        return Finding(
            rule=rule,
            severity=severity,
            category="contracts",
            title=description,
            location=Location(url=f"{self.origin}{self.path}", method=self.method, endpoint=self.endpoint, name=path),
            evidence={**{name: value for name, value in evidence.items() if value}, "occurrences": occurrences},
            fix="Let the endpoint answer as before, or change those who read its answers.",
            count=max(1, occurrences["violation_count"]),
        )

    def _error_spike(self) -> Finding | None:
        history = list(self.history)
        failing = 0
        while failing < len(history) and not history[-1 - failing][1]:
            failing += 1
        before = sum(success for _, success in history[: len(history) - failing])
        statuses = [status for status, _ in history[len(history) - failing :]]
        server = any(status >= 500 for status in statuses)
        # One 404 is a missing resource. Two in a row after successes are a missing endpoint.
        if before < _ESTABLISHED or failing < (1 if server else 2):
            return None
        good = next(status for status, success in reversed(history) if success)
        inside = statuses[-1] < 400
        what = f"errors inside answers of status {statuses[-1]}" if inside else f"error ({statuses[-1]})"
        return self._violation(
            "error_spike",
            "critical" if server else "medium",
            f"Answered with success ({good}) {before} times, then with {what} "
            f"{'the last time' if failing == 1 else f'the last {failing} times'}.",
            {"status_history": [status for status, _ in history], "last_error_body": self.last_error},
            {
                "expected_count": before,
                "violation_count": failing,
                "first_seen": self.last_ts,
                "last_violation": self.last_ts,
            },
        )

    def _changed_fields(self, active: list[Deviation]) -> list[Finding]:
        """Missing and new fields; those inside arrays separately."""
        changed = []
        for kind, inside in (("missing_field", False), ("missing_field", True), ("new_field", False)):
            chosen = [
                known
                for known in active
                if known.diff.kind == kind and (kind == "new_field" or ("[]" in known.diff.path) == inside)
            ]
            if not chosen:
                continue
            paths = tuple(sorted(known.diff.path for known in chosen))
            count = max(known.count for known in chosen)
            names = ", ".join(f"'{path}'" for path in paths[:5]) + (
                f" and {len(paths) - 5} more" if len(paths) > 5 else ""
            )
            missing = kind == "missing_field"
            noun = "Field" if len(paths) == 1 else "Fields"
            how = f"present in {self.learned - count} answers, missing in the newest" if missing else "not there before"
            evidence: dict[str, Any] = {"new_fields": list(paths)}
            if missing:
                evidence = {
                    "expected_shape": self.established_shape(),
                    "actual_shape": shown(self.newest) if self.newest is not None else None,
                    "missing_fields": list(paths),
                }
            changed.append(
                self._violation(
                    "new_field" if not missing else "array_shape_change" if inside else "shape_change",
                    "medium" if missing else "info",
                    f"{noun} {names}: {how}.",
                    evidence,
                    self._occurrences(chosen[0], count),
                )
            )
        return changed

    def _changed_type(self, known: Deviation) -> Finding:
        diff = known.diff
        null = diff.kind == "null_field"
        inside = "[]" in diff.path and not null
        subject = f"Field '{diff.path}'" if diff.path else "The answer"
        return self._violation(
            "null_field" if null else "array_shape_change" if inside else "type_change",
            # Code that reads a field of an object, or iterates over an array, throws on null.
            "info" if null and not {"object", "array"} & set(diff.was.split(" or ")) else "medium",
            f"{subject} {'became null' if null else f'changed from {diff.was} to {diff.now}'}.",
            {"field": diff.path, "expected_type": diff.was, "actual_type": diff.now, "sample_value": diff.value},
            self._occurrences(known, known.count),
            path=diff.path,
        )

    def _occurrences(self, known: Deviation, count: int) -> dict[str, Any]:
        return {
            "expected_count": self.learned - count,
            "violation_count": count,
            "first_seen": self.first_ts,
            "last_violation": known.last_ts,
        }


def _failed_inside(value: Any) -> bool:
    """GraphQL and JSON-RPC answer 200 even for errors."""
    if not isinstance(value, dict):
        return False
    if value.get("jsonrpc") and "error" in value and "result" not in value:
        return True
    errors = value.get("errors")
    # If GraphQL rejects a request as a whole, there is no `data` at all.
    return isinstance(errors, list) and bool(errors) and value.get("data") is None and value.keys() <= _GRAPHQL


def _sample(diff: Diff) -> str:
    if isinstance(diff.value, dict | list) or diff.value is None:
        return ""
    value = json.dumps(diff.value) if not isinstance(diff.value, str) else diff.value
    # The sample is separate from its name, so check it with the names in the path.
    if any(mask_named(step, value) == REDACTED for step in re.split(r"\.|\[\]|\{\}", diff.path)):
        return REDACTED
    text = safe_text(value, _SAMPLE_CHARS)
    return REDACTED if any(find_pii(text)) else text


def _covers(value: Any, path: str) -> bool:
    """Whether an answer has the parent object or array of a path, so that it can confirm or refute it."""
    steps = path.replace("[]", ".[]").replace("{}", ".{}").split(".")
    return _reaches(value, [step for step in steps if step][:-1])


def _reaches(value: Any, steps: list[str]) -> bool:
    if not steps:
        return value is not None
    if steps[0] == "[]":
        return isinstance(value, list) and any(_reaches(element, steps[1:]) for element in value[:50])
    if steps[0] == "{}":
        return isinstance(value, dict) and any(_reaches(member, steps[1:]) for member in list(value.values())[:50])
    return isinstance(value, dict) and steps[0] in value and _reaches(value[steps[0]], steps[1:])


def _allow(shape: Node, diff: Diff) -> None:
    """Add a deviation to the shape: an optional field, or one more type."""
    node: Node | None = shape
    *steps, last = [step for step in diff.path.replace("[]", ".[]").replace("{}", ".{}").split(".") if step] or [""]
    for step in steps:
        node = _child(node, step)
        if node is None:
            return
    if node is None:
        return
    if diff.kind == "new_field":
        node.fields.setdefault(last, Node(types={diff.now}, optional=True))
        return
    target = _child(node, last) if last else node
    if target is None:
        return
    if diff.kind == "missing_field":
        target.optional = True
    else:
        target.types.add(diff.now)


def _child(node: Node | None, step: str) -> Node | None:
    if node is None:
        return None
    return node.items if step == "[]" else node.values if step == "{}" else node.fields.get(step)
