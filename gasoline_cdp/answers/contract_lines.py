"""Results of `validate_api` as lines: responses that changed their shape, and the learned shapes."""

from collections.abc import Iterator
from typing import Any

from gasoline_cdp.answers.amounts import clock
from gasoline_cdp.answers.finding_entries import TONES
from gasoline_cdp.answers.lines import Line
from gasoline_cdp.answers.marked_lines import labelled, line_bytes, listed, marked
from gasoline_cdp.answers.quoting import word
from gasoline_cdp.answers.wording import number_of

# Field names come from the page. A shape has three levels.
_SHAPE_CHARS = 1500
# How many fields a description names.
_FIELDS_DESCRIBED = 5


def violation_lines(entry: dict[str, Any], shown_shapes: dict[str, Any] | None = None) -> Iterator[Line]:
    """`14:03:22 warning type_change GET /api/cart | Field 'id' changed from number to string.`, and both shapes.

    `shown_shapes`: shapes already shown, by endpoint. An entry that was shortened to fit lacks some fields.
    """
    shown_shapes = {} if shown_shapes is None else shown_shapes
    seen = entry.get("occurrences", {})
    endpoint = entry.get("endpoint", "")
    count = seen.get("violation_count", 1)
    words = (
        entry.get("severity"),
        entry.get("type"),
        endpoint_words(endpoint) if endpoint else "",
        f"{count} times" if count > 1 else "",
        marked(entry["description"]) if entry.get("description") else "",
    )
    yield Line(
        " ".join(filter(None, words)),
        time=clock(seen["last_violation"]) if seen.get("last_violation") else "",
        tone=TONES.get(entry.get("severity", ""), "plain"),
    )
    for name in ("missing_fields", "new_fields"):
        if len(entry.get(name) or ()) > _FIELDS_DESCRIBED:
            yield from listed(entry[name])
    if entry.get("sample_value"):
        yield labelled("sample", entry["sample_value"])
    if entry.get("status_history"):
        yield Line(f"statuses: {' '.join(map(str, entry['status_history']))}", depth=1)
    if entry.get("last_error_body"):
        yield labelled("body", entry["last_error_body"])
    shapes = {name: entry[name] for name in ("expected_shape", "actual_shape") if entry.get(name) is not None}
    if shapes and shown_shapes.get(endpoint) != shapes:
        shown_shapes[endpoint] = shapes
        for name, shape in shapes.items():
            yield _shape_line("was" if name == "expected_shape" else "now", shape)
    if entry.get("shortened"):
        yield Line("shortened: it was too large for an answer", depth=1, tone="dim")


def contract_lines(entry: dict[str, Any], origin: str) -> Iterator[Line]:
    """`GET /api/cart 4 calls, 75% consistent`, and the shape. Statuses only if they are not all 200."""
    statuses = entry.get("status_codes", {})
    words = (
        endpoint_words(entry.get("endpoint", "")),
        number_of(entry["call_count"], "call") if entry.get("call_count", 1) != 1 else "",
        " ".join(f"{status}×{count}" for status, count in statuses.items()) if set(statuses) - {"200"} else "",
        f"{entry['consistency']} consistent" if entry.get("consistency", "100%") != "100%" else "",
        f"at {word(entry['origin'])}" if entry.get("origin") and entry["origin"] != origin else "",
        "no JSON seen" if "established_shape" in entry and entry["established_shape"] is None else "",
        "(shortened)" if entry.get("shortened") else "",
    )
    yield Line(" ".join(filter(None, words)), time=clock(entry["last_called"]) if entry.get("last_called") else "")
    if entry.get("established_shape") is not None:
        yield _shape_line("shape", entry["established_shape"])


def contract_entry_bytes(entry: dict[str, Any]) -> int:
    """Maximum size of the lines of a violation or an endpoint."""
    return line_bytes(violation_lines(entry) if "type" in entry else contract_lines(entry, ""))


def endpoint_words(endpoint: str) -> str:
    """`GET /cart`. A path with an operation name after it is quoted as a whole."""
    method, _, path = endpoint.partition(" ")
    return f"{word(method, 20)} {word(path)}" if path else word(method)


def shape_words(shape: Any) -> str:
    """`{id: number, tags: [string], note?: string}`."""
    if isinstance(shape, dict):
        return f"{{{', '.join(f'{name}: {shape_words(member)}' for name, member in shape.items())}}}"
    if isinstance(shape, list):
        return f"[{', '.join(map(shape_words, shape))}]"
    return str(shape)


def _shape_line(label: str, shape: Any) -> Line:
    return labelled(label, shape_words(shape), chars=_SHAPE_CHARS)
