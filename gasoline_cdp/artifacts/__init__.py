"""Documents to take away, for people and machines: pure functions from records to text."""
