"""Finds, starts and stops a browser."""
