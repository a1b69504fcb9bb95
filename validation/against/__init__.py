"""A model against the equations of motion that another program generated for it."""

from .check import against

__all__ = ["against"]
