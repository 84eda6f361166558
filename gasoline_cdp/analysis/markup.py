"""Makes markup safe to show: masks what is typed into secret fields, and secret attributes."""

import re
from collections.abc import Mapping

from gasoline_cdp import limits
from gasoline_cdp.detect.plausible import looks_random
from gasoline_cdp.redact import EDGE, REDACTED, is_secret_name, safe_text, safe_url

# Besides the names that are secret everywhere: form fields that nobody else needs to read.
_SECRET_FIELD = re.compile(
    r"credit|card|(?<![a-z])(?:cvv|cvc|csc|ssn|otp|totp|mfa|2fa|tan|pin)(?![a-z])|one-time-code|cc-", re.IGNORECASE
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FIELD_TAG = re.compile(
    r"""<(?:input|textarea|option|select|button|meta|param|data|output)\b"""
    r"""(?:[^<>"']{1,4000}+|"[^"]{0,4000}"?|'[^']{0,4000}'?){0,4000}>?""",
    re.IGNORECASE,
)
# Starts at a word boundary. Otherwise each letter of a word would be tried as the start of a name.
_ATTRIBUTE = re.compile(
    r"""(?<![\w:.-])([\w:.-]{1,60})(\s{0,3}=\s{0,3})("[^"]{0,4000}"?|'[^']{0,4000}'?|[^\s"'>]{1,4000})"""
)
_TEXTAREA = re.compile(r"(<textarea\b[^<>]{0,4000}>)([^<]{1,4000})", re.IGNORECASE)
_VALUE_TEST = re.compile(
    r"""\[(value|data-value|content)[~|^$*]?=("(?:[^"\\]|\\.){0,1000}"|'[^']{0,1000}'|[^\]"']{0,1000})\]"""
)
_PLAIN_WORD = re.compile(r"[a-z0-9_-]{0,40}|[A-Za-z ]{0,40}")
_URLS = {"href", "src", "action", "srcset", "poster", "data", "formaction", "cite", "ping"}
# Attributes that hold an element's value, and attributes that name it.
_HELD = {"value", "data-value", "content"}
_NAMING = ("name", "id", "autocomplete", "property", "itemprop")
# No field has more names, or longer ones: its value is masked without judging them all.
_MOST_NAMES, _NAME_CHARS = 12, 100
_PUSHED = {"submit", "button", "reset", "image"}
# HTML attributes that sound secret and are not.
_HARMLESS = {"accesskey", "passwordrules"}


def is_secret_field(attributes: Mapping[str, str]) -> bool:
    """Whether the value of a field with these attributes must not be shown."""
    kind = attributes.get("type", "").lower()
    if kind == "password":
        return True
    if kind in _PUSHED:
        return False
    names = [name for naming in _NAMING for name in attributes.get(naming, "").split(maxsplit=_MOST_NAMES)]
    return len(names) > _MOST_NAMES or any(len(name) > _NAME_CHARS for name in names) or any(map(_is_secret, names))


def _is_secret(name: str) -> bool:
    return is_secret_name(name) or _SECRET_FIELD.search(_CAMEL.sub("_", name)) is not None


def safe_attributes(attributes: Mapping[str, str]) -> dict[str, str]:
    """The attributes of an element, safe to show."""
    secret = is_secret_field(attributes)
    safe: dict[str, str] = {}
    for name, value in attributes.items():
        shown = safe_text(name, 60)
        if (secret and name.lower() in _HELD) or (value and _names_secret(name)):
            safe[shown] = REDACTED
        elif name.lower() in _URLS:
            safe[shown] = safe_url(value, limits.DOM_ATTRIBUTE_CHARS)
        else:
            safe[shown] = safe_text(value, limits.DOM_ATTRIBUTE_CHARS)
    return safe


def _names_secret(name: str) -> bool:
    return name.lower() not in _HARMLESS and is_secret_name(name)


def safe_selector(selector: str) -> str:
    """A selector without field values, unless the value is a plain word: `[value="red"]`, but `[value]`."""
    return _VALUE_TEST.sub(_without_value, selector)


def _without_value(test: re.Match[str]) -> str:
    value = test[2].strip("\"'")
    plain = _PLAIN_WORD.fullmatch(value) is not None and not looks_random(value)
    return test[0] if plain else f"[{test[1]}]"


def mask_fields(html: str) -> str:
    """HTML in which the values of secret form fields and `<meta>` elements are masked."""
    return _TEXTAREA.sub(_mask_textarea, _FIELD_TAG.sub(_mask_field, html))


def safe_logged(text: str, limit: int = limits.TEXT_CHARS) -> str:
    """Like `safe_text`, for text that may contain markup, as in `console.log(form.outerHTML)`."""
    return safe_text(mask_fields(text[: limit + EDGE + 1]) if "<" in text else text, limit)


def safe_markup(html: object, limit: int) -> str:
    """The HTML of an element, safe to show and cut to a length."""
    text = safe_text(mask_fields(html) if isinstance(html, str) else "", limit + 1)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def show_element(element: Mapping[str, object]) -> dict[str, str]:
    """An element as reported by a page script (`selector`, `html`, sometimes `text`), safe to show."""
    lengths = (("selector", 300), ("text", 100))
    shown = {name: safe_text(text, limit) for name, limit in lengths if (text := element.get(name))}
    return shown | {"html": safe_markup(element.get("html"), 200)}


def _mask_field(match: re.Match[str]) -> str:
    tag = match[0]
    if not is_secret_field(_attributes_in(tag)):
        return tag
    return _ATTRIBUTE.sub(lambda part: f'{part[1]}{part[2]}"{REDACTED}"' if part[1].lower() in _HELD else part[0], tag)


def _mask_textarea(match: re.Match[str]) -> str:
    return match[1] + (REDACTED if is_secret_field(_attributes_in(match[1])) else match[2])


def _attributes_in(tag: str) -> dict[str, str]:
    return {part[1].lower(): part[3].strip("\"'") for part in _ATTRIBUTE.finditer(tag)}
