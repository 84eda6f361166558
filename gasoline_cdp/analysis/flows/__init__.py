"""What a person did in a page and what came of it, as steps that a test can repeat."""
