"""Numbers that another program printed, as one more witness: a table with a column for each number it shows."""

from .check import against_table
from .reader import PrintedTable, read_table

__all__ = ["PrintedTable", "against_table", "read_table"]
