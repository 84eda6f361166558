"""From a place in a generated script to the place where it was written."""
