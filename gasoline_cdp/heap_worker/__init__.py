"""Analyses heap snapshots in a process of its own: numpy stays out of the daemon, and memory is given back."""
