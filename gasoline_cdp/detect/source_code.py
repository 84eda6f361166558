"""Whether a text is a program, a style sheet or markup, where names stand beside expressions."""

import re

# JSON, and JSON behind the guard that some servers put before it, is data whatever its strings hold.
_JSON = re.compile(r"\s{0,40}(?:\)\]\}'[,\n]?\s{0,4}|data: ?)?(?:\{\s{0,40}(?:\"|\})|\[\s{0,40}[\[{\"\d\]-])")
_SOURCE_MAP = re.compile(r'"(?:mappings|sourcesContent)":')
_MARKS = (
    "function", "=>", "return", "const ", "var ", "){", ");", "};", "===", "this.", "&&", "||", "</", "/>", "px", ";}",
    "*/", " {\n", "}\n", "}.", "import ", "();", "){", "()", " = ", "{}", "));",
)  # fmt: skip
# How files of code begin, and hardly anything else of some length.
_BEGINS = re.compile(
    r"\s{0,40}(?:/\*|//[ !#/]|[\"']use strict|import[\s{*\"']|export[\s{*]"
    r"|(?:var|const|let|function|async|class|define)[\s(]"
    # `ace.define("…", function`; a callback around data has its braces at once.
    r"|(?:[A-Za-z_$][\w$]{0,40}\.){1,3}[\w$]{1,40}\(\s{0,4}(?:[\"'`]|function\b)"
    r"|!function|;?\((?:function|\(|self|window|globalThis)|@import|@charset|@media|:root|<!doctype|<html|<script"
    r"|[.#]\w[\w-]{0,80}\s?\{)",
    re.IGNORECASE,
)
_FILE = 300
_SAMPLE = 4096
_ENOUGH = 5
_CHARS_PER_MARK = 150


class Code:
    """Whether a text is source code, asked for only where it matters."""

    __slots__ = ("_answer", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._answer: bool | None = None

    def __bool__(self) -> bool:
        if self._answer is None:
            self._answer = is_source_code(self._text)
        return self._answer


def is_source_code(text: str) -> bool:
    """By how often marks of code stand in samples from the beginning and the middle."""
    if len(text) < _ENOUGH * 4 or (_JSON.match(text) is not None and not _SOURCE_MAP.search(text, 0, 100_000)):
        return False
    if len(text) >= _FILE and _BEGINS.match(text) is not None:
        return True
    middle = len(text) // 2
    samples = [text[:_SAMPLE]] if len(text) <= 2 * _SAMPLE else [text[:_SAMPLE], text[middle : middle + _SAMPLE]]
    return any(_is_dense(sample) for sample in samples)


def _is_dense(sample: str) -> bool:
    marks = sum(map(sample.count, _MARKS))
    return marks >= _ENOUGH and marks * _CHARS_PER_MARK >= len(sample)
