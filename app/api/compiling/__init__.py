"""Equations of motion compiled to functions of states, and to functions of plain arrays."""
