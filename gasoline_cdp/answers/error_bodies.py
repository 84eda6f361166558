"""What an error body says, in a few words: of an HTML page its title and text, of anything else the beginning."""

import re

from gasoline_cdp.analysis.sourcemaps.frames import cut

# Most say what is wrong in their first words.
BODY_CHARS = 300
# White space, and tags, take the rest.
_READ_CHARS = 4 * BODY_CHARS
_PAGE = re.compile(r"\s*(?:<!--|<!doctype html|<(?:html|head|title|body|center|div|h[1-6]|p)\b)", re.IGNORECASE)
_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
# What is no text, or says nothing about the error. One that is never closed reaches to the end.
_ASIDE = re.compile(
    r"<!--.*?(?:-->|\Z)|<(head|title|script|style|svg|nav|textarea|template|select)\b.*?(?:</\1\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(r"<[/!a-z][^<>]*(?:>|\Z)", re.IGNORECASE)
# The others need a table of two thousand.
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'", "&nbsp;": " ", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ENTITIES))


def error_words(body: str) -> str:
    """The words, in one line. Secrets were masked when the body was stored."""
    if _PAGE.match(body) is None:
        return cut(_folded(body[:_READ_CHARS]), BODY_CHARS)
    match = _TITLE.search(body)
    title = _plain(match[1]) if match else ""
    # Between two pieces stays a space: no word comes into being that was not looked at.
    text = _plain(_TAG.sub(" ", _ASIDE.sub(" ", body)))
    return cut(text if text.startswith(title) else f"{title} · {text}".removesuffix(" · "), BODY_CHARS)


def _plain(text: str) -> str:
    return _folded(_ENTITY.sub(lambda entity: _ENTITIES[entity[0]], text))


def _folded(text: str) -> str:
    return " ".join(text.split())
