"""Benchmarks: one module per subject, each number we claim a row."""
