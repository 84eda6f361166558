"""Where a browser comes from: one provider for each kind."""
