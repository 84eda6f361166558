"""Conditions that a page is tried under: parsed from what a caller wrote, and described."""
