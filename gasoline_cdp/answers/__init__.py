"""How records look in an answer: entries, pages that fit a budget of bytes, words."""
