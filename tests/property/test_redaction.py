"""Redaction takes any text, is done after one pass, and keeps its promises about size."""

from hypothesis import assume, given
from hypothesis import strategies as st

from gasoline_cdp.detect.by_name import _STEM
from gasoline_cdp.detect.names import STEMS
from gasoline_cdp.redact import clean, redact, safe_body, safe_headers, safe_text, safe_url

TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=400)
TELLING = st.lists(
    st.sampled_from(
        [
            '"',
            "'",
            "\\",
            "password",
            "token",
            "=",
            ":",
            " ",
            "://",
            "@",
            "{",
            "}",
            "&",
            "Bearer ",
            "eyJ",
            "x1",
            "\n",
        ]
    ),
    max_size=60,
).map("".join)


@given(TEXT | TELLING)
def test_any_text_can_be_kept_and_encoded(text: str) -> None:
    assert len(safe_text(text, 100)) <= 101
    safe_text(text).encode()
    safe_url(text).encode()
    safe_body(text, 50)[0].encode()
    safe_headers({text: text})


@given(TEXT | TELLING)
def test_what_is_masked_once_is_masked(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


@given(TEXT)
def test_cleaning_is_done_after_one_pass(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.text(max_size=300), st.integers(1, 100))
def test_a_body_never_exceeds_its_bytes(text: str, limit: int) -> None:
    body, cut = safe_body(text, limit)
    assert len(body.encode()) <= limit
    assert cut or len(text) <= limit


@given(
    name=st.sampled_from(["password", "api_key", "access_token", "client_secret", "user.password", "X_TOKEN"]),
    value=st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=8, max_size=40),
    shape=st.sampled_from(['{{"{n}":"{v}"}}', "{n}={v}", "a=1&{n}={v}&b=2", "{n}: '{v}'", '\\"{n}\\":\\"{v}\\"']),
)
def test_a_named_secret_never_survives(name: str, value: str, shape: str) -> None:
    # Words that stand where a value would be, and are none.
    assume(value not in {"undefined", "required"})
    assert value not in redact(shape.format(n=name, v=value))


@given(st.lists(st.sampled_from([*STEMS, "p", "s", "si", "pin", "-", "x", " "])).map("".join))
def test_every_stem_of_a_secret_name_has_its_position(text: str) -> None:
    begin = {at for at in range(len(text)) if text.startswith(STEMS, at)}
    assert [stem.start() for stem in _STEM.finditer(text)] == sorted(begin)
