"""The daemon and its clients on this machine: the socket between them, and the bridge that an editor starts."""
