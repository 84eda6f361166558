"""Mocks: which requests they answer, and how. Parsed from what a caller wrote."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson
from attrs import evolve, frozen

from gasoline_cdp import pilot_limits
from gasoline_cdp.analysis.conditions.problems import Problems

# What `fail` may say, and Chrome's name for it.
FAILURES = {
    "failed": "Failed",
    "aborted": "Aborted",
    "timed_out": "TimedOut",
    "refused": "ConnectionRefused",
    "reset": "ConnectionReset",
    "unreachable": "AddressUnreachable",
    "name_not_resolved": "NameNotResolved",
    "blocked": "BlockedByClient",
}
_FIELDS = ("url", "method", "status", "headers", "body", "delay_ms", "fail", "from", "set")
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
# Of a captured answer: these describe how its body travelled, or are masked in what we keep.
_NOT_REPEATED = {
    "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive", "date", "set-cookie",
    "strict-transport-security", "alt-svc",
}  # fmt: skip
_MASKED = "[REDACTED]"


@frozen(kw_only=True)
class CapturedAnswer:
    """A response that the page got before, unmasked: it goes back to its own origin and nowhere else."""

    method: str
    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


@frozen(kw_only=True)
class Mock:
    """Answers the requests that it matches. Its body may hold secrets: it is never shown."""

    url: str
    method: str = ""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    delay_ms: int = 0
    # Chrome's name of the failure; empty if it answers.
    failure: str = ""
    # The request whose answer it repeats, and the only origin that gets it.
    source: str = ""
    origin: str = ""
    # Fields of the captured body that are changed: path and value.
    changes: tuple[tuple[str, Any], ...] = ()

    def answers(self, method: str, url: str) -> bool:
        """Whether it is for this request."""
        return (
            self.method in ("", method.upper())
            and (not self.origin or self.origin == origin_of(url))
            and matches_url(self.url, url)
        )

    @property
    def words(self) -> str:
        """For a reader: `GET */api/cart* → 500 after 200 ms`."""
        end = f"fails ({self.failure})" if self.failure else f"{self.status}"
        repeated = f" from {self.source}" if self.source else ""
        changed = f" with {', '.join(path for path, _ in self.changes)} changed" if self.changes else ""
        after = f" after {self.delay_ms} ms" if self.delay_ms else ""
        return f"{self.method or 'any'} {self.url} → {end}{repeated}{changed}{after}"


def origin_of(url: str) -> str:
    """Scheme, host and port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def chrome_pattern(pattern: str) -> str:
    """The pattern as Chrome writes it, where `?` is one character."""
    escaped = pattern.replace("\\", "\\\\").replace("?", "\\?")
    if "*" not in pattern:
        return f"*{escaped}*"
    return escaped if pattern.startswith(("*", "http:", "https:")) else f"*{escaped}"


def matches_url(pattern: str, url: str) -> bool:
    """Whether an address fits. Looks for the parts between the stars one after the other, in linear time."""
    if "*" not in pattern:
        return pattern in url
    first, *middle, last = pattern.split("*")
    if pattern.startswith(("http:", "https:")):
        if not url.startswith(first):
            return False
        at = len(first)
    else:
        at = url.find(first)
        if at < 0:
            return False
        at += len(first)
    for part in middle:
        found = url.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return url.endswith(last) and len(url) - len(last) >= at


def parse_mocks(given: list[dict[str, Any]], problems: Problems) -> tuple[Mock, ...]:
    """All mocks. What is repeated from a capture is filled in later: `filled`."""
    if len(given) > pilot_limits.MOCKS:
        problems.add(f"mocks: at most {pilot_limits.MOCKS}, not {len(given)}")
    mocks = tuple(_parse(f"mocks[{index}]", one, problems) for index, one in enumerate(given[: pilot_limits.MOCKS]))
    check_size(mocks, problems)
    return mocks


def check_size(mocks: tuple[Mock, ...], problems: Problems) -> None:
    """Whether their bodies are small enough."""
    for index, mock in enumerate(mocks):
        if len(mock.body) > pilot_limits.MOCK_BODY_BYTES:
            most = pilot_limits.MOCK_BODY_BYTES
            problems.add(f"mocks[{index}]: a body of {len(mock.body)} bytes; the most are {most}")
    if (whole := sum(len(mock.body) for mock in mocks)) > pilot_limits.MOCK_BODIES_BYTES:
        problems.add(f"mocks: bodies of {whole} bytes in all; the most are {pilot_limits.MOCK_BODIES_BYTES}")


def _parse(what: str, given: dict[str, Any], problems: Problems) -> Mock:
    for name in given:
        if name not in _FIELDS:
            problems.unknown(f"{what}: the field", name, _FIELDS)
    source = _source(what, given, problems)
    pattern = problems.pattern(f"{what}.url", given["url"]) if "url" in given else ""
    if not source and "url" not in given:
        problems.add(f"{what} needs url, or from with the id of a request")
    method = str(given.get("method") or "").upper()
    if method and method not in _METHODS:
        problems.unknown(f"{what}.method", method, _METHODS)
    failure = _failure(what, given.get("fail"), problems)
    if failure and (clash := [name for name in ("status", "headers", "body", "from") if name in given]):
        problems.add(f"{what}: fail answers nothing, so it goes without {' and '.join(clash)}")
    body, kind = _body(given.get("body"))
    headers = problems.headers(f"{what}.headers", given["headers"]) if "headers" in given else ()
    if kind and not any(name.lower() == "content-type" for name, _ in headers):
        headers = (*headers, ("content-type", kind))
    return Mock(
        url=pattern,
        method=method,
        # A repeated answer keeps its status.
        status=_number(f"{what}.status", given.get("status"), 0 if source else 200, 200, 599, problems),
        headers=headers,
        body=body,
        delay_ms=_number(f"{what}.delay_ms", given.get("delay_ms"), 0, 0, pilot_limits.MOCK_DELAY_MS_MAX, problems),
        failure=failure,
        source=source,
        changes=_changes(what, given, problems),
    )


def _source(what: str, given: dict[str, Any], problems: Problems) -> str:
    """The request whose answer is repeated."""
    source = given.get("from") or ""
    if not isinstance(source, str):
        problems.add(f"{what}.from must be the id of a request, such as r44")
        return ""
    if source and "body" in given:
        problems.add(f"{what}: from brings its own body; set changes fields of it")
    return source


def _changes(what: str, given: dict[str, Any], problems: Problems) -> tuple[tuple[str, Any], ...]:
    """The fields of it that are changed."""
    changes = given.get("set") or {}
    if not isinstance(changes, Mapping):
        problems.add(f'{what}.set must be an object such as {{"items.0.price": 5}}')
        return ()
    if changes and not given.get("from"):
        problems.add(f"{what}.set changes an answer that from names")
    return tuple((str(path), value) for path, value in changes.items())


def _failure(what: str, given: object, problems: Problems) -> str:
    if given in (None, False, ""):
        return ""
    if given is True:
        return FAILURES["failed"]
    if str(given).lower() not in FAILURES:
        problems.unknown(f"{what}.fail", given, FAILURES)
    return FAILURES.get(str(given).lower(), "Failed")


def _number(what: str, given: object, default: int, low: int, high: int, problems: Problems) -> int:
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        problems.add(f"{what} must be a whole number from {low} to {high}, not {str(given)[:40]!r}")
        return default
    return given


def _body(given: object) -> tuple[bytes, str]:
    """The body, and its type as far as it can be told."""
    if given is None:
        return b"", ""
    if isinstance(given, str):
        is_json = given.lstrip()[:1] in ("{", "[")
        return given.encode(errors="replace"), "application/json" if is_json else "text/plain; charset=utf-8"
    return orjson.dumps(given), "application/json"


def filled(mock: Mock, what: str, answer: CapturedAnswer, problems: Problems) -> Mock:
    """A mock that repeats a captured answer, with the changed fields."""
    body = answer.body
    if mock.changes:
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError:
            problems.add(f"{what}: the answer of {mock.source} is no JSON, so no field of it can be set")
            value = None
        else:
            for path, new in mock.changes:
                _put(value, path, new, what, problems)
            body = orjson.dumps(value)
    given = {name.lower() for name, _ in mock.headers}
    kept = [
        (name, value)
        for name, value in answer.headers.items()
        if name.lower() not in _NOT_REPEATED | given and _MASKED not in value and "…" not in value
    ]
    return evolve(
        mock,
        url=mock.url or answer.url.partition("#")[0],
        method=mock.method or answer.method,
        status=mock.status or answer.status,
        headers=(*kept, *mock.headers),
        body=body,
        origin=origin_of(answer.url),
    )


def _put(value: Any, path: str, new: Any, what: str, problems: Problems) -> None:
    """Change one field, named by its keys: `items.0.price`."""
    *outer, last = path.split(".")
    try:
        for key in outer:
            value = value[_key(value, key)]
        if _key(value, last) not in (range(len(value)) if isinstance(value, list) else value):
            raise KeyError(last)
        value[_key(value, last)] = new
    except (KeyError, IndexError, ValueError, TypeError):
        problems.add(f"{what}.set: the answer has no field {path[:80]!r}")


def _key(value: Any, key: str) -> Any:
    return int(key) if isinstance(value, list) else key
