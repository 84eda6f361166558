"""The command line: what can be typed, and what a person sees."""
