"""Faults of Newton–Euler."""

from __future__ import annotations

from .injection import Fault

FAULTS: tuple[Fault, ...] = ()
