"""Files that people and machines take away: pure functions from records to text."""
