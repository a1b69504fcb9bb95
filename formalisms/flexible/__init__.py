"""Generalised Newton–Euler: trees with elastic links, in every joint the effort or the acceleration given."""

from .formalism import Flexible

__all__ = ["Flexible"]
