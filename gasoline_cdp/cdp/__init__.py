"""Speaks the DevTools Protocol."""
