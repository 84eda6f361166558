"""What axe-core found, and what to change so that an element passes; the accessibility tree as lines."""
