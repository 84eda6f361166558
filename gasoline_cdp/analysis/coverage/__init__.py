"""What of the page's code ran, and how often."""
