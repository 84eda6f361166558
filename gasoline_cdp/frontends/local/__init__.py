"""The daemon and its local clients: the socket between them, and the bridge that an editor starts."""
