"""Benchmarks: one module per subject, one row per claimed number."""
