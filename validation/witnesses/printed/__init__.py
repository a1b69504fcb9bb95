"""Witness of numbers that another program printed: a table with a column for each number and a row for each state."""

from .reader import PrintedTable, read_table

__all__ = ["PrintedTable", "read_table"]
