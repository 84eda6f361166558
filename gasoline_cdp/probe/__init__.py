"""Questions to a page."""
