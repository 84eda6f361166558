"""HTTP on this machine: one gate, the endpoints behind it, and the streams."""
