"""Which events are worth telling an assistant that did not ask, and when."""
