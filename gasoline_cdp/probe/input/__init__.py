"""Input to a page as a person gives it: targets found and checked, then mouse and keys."""
