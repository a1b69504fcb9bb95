"""Checks of a model: its structure when it is built, its physics when numbers are known.

Every finding says which thing, which condition, and what to do about it.
"""

from __future__ import annotations

from .physics import physics
from .structure import structure

__all__ = ["physics", "structure"]
