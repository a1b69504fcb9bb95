"""Trials of a change, a seeded fault or a mutant: in place or on import, in processes, with one file of results."""
