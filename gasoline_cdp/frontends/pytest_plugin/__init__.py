"""A pytest plugin: each failing browser test comes with what its own browser saw."""
