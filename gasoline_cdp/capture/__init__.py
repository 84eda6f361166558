"""From Chrome's events to the store."""
