"""Random models: trees, planar linkages, closed systems, expressions; by a seeded generator or by Hypothesis."""
