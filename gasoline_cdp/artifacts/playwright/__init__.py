"""Tests for Playwright, written from a flow."""
