"""Other programs as witnesses: they read the original file themselves, and their numbers are compared."""

from ...judge.witness import Original
from .peer import PEERS, read_programs, require_programs, takes_model

__all__ = ["PEERS", "Original", "read_programs", "require_programs", "takes_model"]
