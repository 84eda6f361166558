"""Every call takes this path: what it needs, its deadline, slow work, one shape for errors."""
