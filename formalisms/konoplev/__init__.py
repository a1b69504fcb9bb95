"""Konoplev's aggregates: the equations of a tree from the aggregates of its single bodies, nothing differentiated."""

from .formalism import Konoplev

__all__ = ["Konoplev"]
