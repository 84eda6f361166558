"""Numbers and nouns that agree, and the words of others."""


def number_of(count: int, noun: str) -> str:
    """`1 request`, `2 requests`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def of_page(text: str, limit: int = 100) -> str:
    """What a page wrote, among words of ours: one line in double quotes, which it cannot close."""
    line = " ".join(text.split()).replace('"', "'")
    return f'"{line}"' if len(line) <= limit else f'"{line[: limit - 1]}…"'
