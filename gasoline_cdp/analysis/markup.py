"""Elements of a page as they may be shown: what is typed into secret fields, and secret attributes, masked."""

import re
from collections.abc import Mapping

from gasoline_cdp import limits
from gasoline_cdp.redact import REDACTED, clean, is_secret_name, safe_text, safe_url

_SECRET_FIELD = re.compile(
    r"password|passwd|secret|token|credit|card|cvv|cvc|ssn|otp|\bpin\b|one-time-code|cc-", re.IGNORECASE
)
_FIELD_TAG = re.compile(r"<(input|textarea|option|select|button)\b[^<>]{0,4000}>?", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:.-]{1,60})(\s{0,3}=\s{0,3})("[^"]{0,4000}"?|'[^']{0,4000}'?|[^\s"'>]{1,4000})""")
_TEXTAREA = re.compile(r"(<textarea\b[^<>]{0,4000}>)([^<]{1,4000})", re.IGNORECASE)
# One key of the keyboard.
_ACCESS_KEY = re.compile(r"""(\baccesskey\s{0,3}=\s{0,3}(?:"[^"\s]"|'[^'\s]'|[^\s"'>](?=[\s>])))""", re.IGNORECASE)
_URLS = {"href", "src", "action", "srcset", "poster", "data", "formaction", "cite", "ping"}
_HELD = {"value", "data-value"}


def is_secret_field(attributes: Mapping[str, str]) -> bool:
    """Whether what stands in a field of these attributes is to be kept from readers."""
    if attributes.get("type", "").lower() == "password":
        return True
    names = " ".join(attributes.get(name, "") for name in ("name", "id", "autocomplete"))
    return bool(_SECRET_FIELD.search(names)) and attributes.get("type", "").lower() not in {"submit", "button", "reset"}


def safe_attributes(attributes: Mapping[str, str]) -> dict[str, str]:
    """Attributes of an element for a reader."""
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
    # `autocomplete`, `id` and the like name a field; only what a page made up can hold a value.
    return name.lower().startswith("data-") and is_secret_name(name.lower())


def safe_markup(html: object, limit: int) -> str:
    """HTML of an element for a reader, cut to a length."""
    text = html if isinstance(html, str) else ""
    text = _FIELD_TAG.sub(_mask_field, text)
    text = _TEXTAREA.sub(_mask_textarea, text)
    # Apart from what is around them: the name of the attribute is that of a secret elsewhere.
    parts = _ACCESS_KEY.split(text)
    text = "".join(clean(part) if place % 2 else safe_text(part, limit + 1) for place, part in enumerate(parts))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _mask_field(found: re.Match[str]) -> str:
    tag = found[0]
    if not is_secret_field(_attributes_in(tag)):
        return tag
    return _ATTRIBUTE.sub(lambda part: f'{part[1]}{part[2]}"{REDACTED}"' if part[1].lower() in _HELD else part[0], tag)


def _mask_textarea(found: re.Match[str]) -> str:
    return found[1] + (REDACTED if is_secret_field(_attributes_in(found[1])) else found[2])


def _attributes_in(tag: str) -> dict[str, str]:
    return {part[1].lower(): part[3].strip("\"'") for part in _ATTRIBUTE.finditer(tag)}
