"""The page of performance: measured, written, and true to what was measured."""
