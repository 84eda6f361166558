"""Sends what was captured to an OpenTelemetry backend. Nothing here imports OpenTelemetry but `sending.py`."""
