"""Formalisms: one module or package each, found by name in :mod:`.registry`; none imports another."""
