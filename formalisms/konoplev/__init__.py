"""Konoplev's aggregates: the equations of a tree from the aggregates of its bodies, without differentiation."""

from .formalism import Konoplev

__all__ = ["Konoplev"]
