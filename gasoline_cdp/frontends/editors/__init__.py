"""The configuration files of editors, and our entry in them."""
