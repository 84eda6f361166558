"""Learns what API endpoints answer, and finds where they break with it."""
