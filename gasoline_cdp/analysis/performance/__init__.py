"""Judges how pages load: vitals, budgets, baselines, regressions."""
