"""Gates: which findings fail a build, and which are allowed."""
