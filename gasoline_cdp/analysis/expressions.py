"""Takes a list of JavaScript expressions apart."""

_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_QUOTES = "'\"`"


def split_expressions(text: str) -> list[str]:
    """`a, f(b, c)` as its two expressions. Commas in brackets and quotes belong to them."""
    parts, begun, open_brackets, quote = [], 0, [], ""
    for index, char in enumerate(text):
        if quote:
            quote = "" if char == quote and text[index - 1] != "\\" else quote
        elif char in _QUOTES:
            quote = char
        elif char in _BRACKETS:
            open_brackets.append(_BRACKETS[char])
        elif open_brackets and char == open_brackets[-1]:
            open_brackets.pop()
        elif char == "," and not open_brackets:
            parts.append(text[begun:index].strip())
            begun = index + 1
    return [part for part in (*parts, text[begun:].strip()) if part]
