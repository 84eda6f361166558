"""Bounded memory."""
