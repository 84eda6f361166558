"""Compares two sessions: what is new, what is gone, and whether it was tried again."""
