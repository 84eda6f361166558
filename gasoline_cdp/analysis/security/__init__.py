"""Judges secrets, personal data, headers, cookies, policies and pages."""
