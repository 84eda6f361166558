"""Records in an answer: as entries, as lines, and in pages that fit a byte budget."""
