"""The views of `observe`, one module each."""
