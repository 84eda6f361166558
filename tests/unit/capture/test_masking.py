"""Bodies of types that keep a value apart from its name."""

import time

import pytest

from gasoline_cdp.capture.masking import safe_answer
from gasoline_cdp.redact import REDACTED

pytestmark = pytest.mark.requirement("S19")

VALUE = "zx81Quantum" + "Kettle77"


@pytest.mark.parametrize(
    "html",
    [
        f'<meta name="csrf_token" content="{VALUE}">',
        f"<meta content={VALUE} name=csrf-token>",
        f'<input value="{VALUE}" type="hidden" name="authenticity_token">',
        f"<input name=pwd value='{VALUE}'>",
        f'<input title="a > b" name="apiKey" value="{VALUE}">',
        f'<textarea id="private_key">{VALUE}</textarea>',
        f'<param value="{VALUE}" name="X-Api-Key">',
    ],
)
def test_fields_of_a_page(html: str) -> None:
    kept, cut = safe_answer(f"<!doctype html><p>hello</p>{html}<p>there</p>", "text/html", 10_000)
    assert VALUE not in kept
    assert REDACTED in kept
    assert "there" in kept
    assert not cut


def test_a_message_over_several_lines() -> None:
    stream = (
        f'event: login\nid: 7\ndata: {{"user": "ada", "password":\ndata: "{VALUE}"}}\n\ndata: hello\ndata: there\n\n'
    )
    kept, _ = safe_answer(stream, "text/event-stream", 10_000)
    assert VALUE not in kept
    assert kept.endswith("data: hello\ndata: there\n\n")
    assert '"user": "ada"' in kept


def test_a_long_body_is_cut_and_says_so() -> None:
    kept, cut = safe_answer("<html>" + "x" * 100_000, "text/html", 1000)
    assert len(kept) == 1000
    assert cut


@pytest.mark.parametrize("part", ["<input ", "<input name='", 'data: "', "<meta name=", "data:\n"])
def test_linear_time(part: str) -> None:
    def seconds(repeats: int) -> float:
        begun = time.process_time()
        safe_answer("<html>" + part * repeats, "text/event-stream" if "data" in part else "text/html", 10**7)
        return time.process_time() - begun

    seconds(1000)
    assert seconds(16_000) < 40 * (seconds(2000) + 0.002)
