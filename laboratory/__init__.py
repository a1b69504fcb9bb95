"""The laboratory tests mbconcord itself: seeded faults, mutants, benchmarks, reference problems; it is not shipped."""
