"""Starts and stops a Chrome process."""
