"""Numbers that another program printed, as one more witness: a table with a column for each number."""

from .reader import PrintedTable, read_table

__all__ = ["PrintedTable", "read_table"]
