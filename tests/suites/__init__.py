"""Suites of browser tests as other projects have them, which are run with our fixtures and without."""
