"""The configuration files of editors: which there are, and our entry in them."""
