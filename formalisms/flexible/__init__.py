"""Generalised Newton–Euler: trees with elastic links, the effort or the acceleration given in every joint."""

from .formalism import Flexible

__all__ = ["Flexible"]
