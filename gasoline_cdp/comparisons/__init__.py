"""Snapshots of a session, and the answers that compare two of them."""
