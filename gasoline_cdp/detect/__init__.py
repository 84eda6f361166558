"""What gives a secret or a person's data away in a text: one engine for masking and for the audit."""
