"""Other programs as witnesses: each reads the original file, or takes the model, and its numbers are compared."""

from ...judge.witness import Original
from .peer import PEERS, read_programs, require_programs, takes_model

__all__ = ["PEERS", "Original", "read_programs", "require_programs", "takes_model"]
