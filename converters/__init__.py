"""Formats: one folder each, found by name in :mod:`.registry`."""
