"""Gasoline CDP: what a web page really did, told briefly to assistants, developers and CI jobs."""

__version__ = "0.1.0"
