"""What a request carried: text as it is, forms part by part, files and bytes by their size."""

import base64
from typing import Any

import pytest

from gasoline_cdp.capture.request_bodies import content_type, describe_body, sent_body
from gasoline_cdp.redact import REDACTED

MULTIPART = "multipart/form-data; boundary=edge"


def multipart(*parts: bytes) -> bytes:
    return b"".join(b"--edge\r\n" + part + b"\r\n" for part in parts) + b"--edge--\r\n"


def field(name: str, content: bytes, more: str = "") -> bytes:
    return f'Content-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + content


def test_entries_are_exact_and_text_is_the_rest() -> None:
    entries = [{"bytes": base64.b64encode(part).decode()} for part in ("é".encode()[:1], "é".encode()[1:])]
    assert sent_body({"postDataEntries": entries, "postData": "?"}, {}) == "é"
    assert sent_body({"postData": "a=1"}, {}) == "a=1"


@pytest.mark.parametrize(
    "request_", [{}, {"postData": None}, {"postDataEntries": [{"bytes": "x"}]}, {"postDataEntries": [{}]}]
)
def test_what_the_event_does_not_hold_must_be_asked_for(request_: dict[str, Any]) -> None:
    assert sent_body(request_, {}) is None


def test_the_type_is_found_however_the_header_is_written() -> None:
    assert content_type({"accept": "x/y", "CONTENT-type": "text/plain"}) == "text/plain"
    assert content_type({}) == ""


def test_bytes_that_are_no_text_are_counted() -> None:
    assert describe_body(b"\xff\xfe\xfd", "application/octet-stream") == "[Binary: 3 bytes]"


def test_a_form_is_told_part_by_part() -> None:
    raw = multipart(
        field("city", "Zürich".encode()),
        field("picture", b"\x89PNG", '; filename="me.png"\r\nContent-Type: image/png'),
        field("raw", b"\xff\xfe"),
        field("password", b"hunter2"),
        field("essay", b"x" * 600),
    )
    assert describe_body(raw, MULTIPART).splitlines() == [
        "city: Zürich",
        "picture: [File: me.png, image/png, 4 bytes]",
        "raw: [Binary: 2 bytes]",
        f"password: {REDACTED}",
        f"essay: {'x' * 500}…",
    ]


def test_a_form_with_very_many_parts_is_counted() -> None:
    raw = multipart(*(field(f"f{number}", b"v") for number in range(60)))
    lines = describe_body(raw, MULTIPART).splitlines()
    assert len(lines) == 51
    assert lines[-1] == "… 10 more parts"


def test_a_form_without_its_boundary_is_text() -> None:
    assert describe_body(b"a", "multipart/form-data") == "a"
