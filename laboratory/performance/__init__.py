"""The page of performance: measured, written, and consistent with the measurements."""
