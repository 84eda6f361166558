"""Recognises placeholders: what documentation and templates write instead of a secret."""

import re

# `test` is none of them: providers have test modes.
_WORDS = ("example", "sample", "dummy", "placeholder", "redacted", "masked", "notareal", "xxxx", "000000000000")
_DOCUMENTED = (*_WORDS, "***", "...", "…", "???", "------", "______", "&lt;", "&gt;", "${", "{{", "%(", "#{")

# Whole words that stand for a missing secret.
_ABSENT = ("todo", "none", "null", "undefined", "unset", "removed", "hidden", "foobar", "lorem")
_OWNERS = ("access", "action", "user", "auth", "api", "secret", "some", "my")


def _behind(words: tuple[str, ...], last: str) -> str:
    """Whether one of these words stands before `last`, which was just read; a sign may stand between."""
    return "|".join(f"(?<={word}{last})|(?<={word}[_-]{last})" for word in words)


# By the word that every match of the expression begins with: most values have none of these words, and an expression
# that begins with a word is searched as fast as the word. What stands before is checked with a lookbehind.
_PATTERNS = {
    word: re.compile(source)
    for word, source in {
        "change": r"change[_-]?me",
        "replace": r"replace[_-]?(?:me|this|with)",
        "your": r"your(?:[_-]?\w{0,20}(?:key|token|secret|pass)|(?<![^_.-]your)[_-])",
        "my": r"my(?<![\s\S]my)[_-]",
        "insert": r"insert[_-]",
        "not": r"not[_-]?a[_-]?real",
        "fake": rf"fake(?:{_behind(('a',), 'fake')}|(?<![\s\S]fake)|(?<=[_-]fake)[_-])",
        "here": rf"here(?:{_behind(('key', 'token', 'secret'), 'here')})",
        **{word: rf"{word}(?<![^_-]{word})(?:$|[_-])" for word in _ABSENT},
        **{word: rf"{word}(?![a-z])(?:{_behind(_OWNERS, word)})" for word in ("token", "key")},
        "$": r"\$(?:[a-z]?\d(?![a-z0-9])|(?<![\s\S]\$)[a-z_(])",
        "<": r"<[^>]{0,60}>",
        "{": r"\{[a-z_]\w{0,40}\}",
        "%": r"%(?<![\s\S]%)",
    }.items()
}
# Alphabets in programs.
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz0123456789+/"
_COUNTED = 32
# A value of so many characters, of which so few are different, is no secret.
_FEW = 5
_MANY = 30


def reads_like_one(value: str, after: int) -> bool:
    """Whether a value is a placeholder, by what stands from `after` on."""
    value = value.lower()
    rest = value[after:] if after else value
    if any(map(rest.__contains__, _WORDS if value.isalnum() else _DOCUMENTED)):
        return True
    if len(value) >= _COUNTED and value in _ALPHABET:
        return True
    few = len(set(rest))
    if (few == 1 and not after) or (few < _FEW and len(rest) >= _MANY):
        return True
    # A digit in place of the part before `after`, which is not searched: the value does not begin here.
    looked_at = f"0{rest}" if after else rest
    for word in filter(looked_at.__contains__, _PATTERNS):
        if _PATTERNS[word].search(looked_at, bool(after)) is not None:
            return True
    return False
