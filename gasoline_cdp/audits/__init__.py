"""Audits of a page: one at a time per tab, with a time limit and a short cache."""
