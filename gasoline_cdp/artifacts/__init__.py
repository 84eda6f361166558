"""Files for other tools, made from plain values: no I/O here."""
