"""Plurals, and quoted text of a page."""


def number_of(count: int, noun: str) -> str:
    """`1 request`, `2 requests`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def of_page(text: str, limit: int = 100) -> str:
    """Text of a page as one line in double quotes, which it cannot close."""
    line = " ".join(text.split()).replace('"', "'")
    return f'"{line}"' if len(line) <= limit else f'"{line[: limit - 1]}…"'
