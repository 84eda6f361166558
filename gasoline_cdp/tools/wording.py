"""Numbers and nouns that agree."""


def number_of(count: int, noun: str) -> str:
    """`1 request`, `2 requests`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
