"""Acts on pages with consent, and gathers what that caused."""
