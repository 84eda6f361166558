"""Heap snapshots: read, understood as DevTools understands them, and compared.

Everything here imports numpy. Only the process that analyses a snapshot imports this package, never the daemon.
"""
