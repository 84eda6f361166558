"""The one path by which every question is asked: what a call needs, its deadline, slow work, one shape of errors."""
