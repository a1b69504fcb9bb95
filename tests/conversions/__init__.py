"""Every fixture in every format: ``python -m tests.conversions`` writes docs/conversions.md."""
