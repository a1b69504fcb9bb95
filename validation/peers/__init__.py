"""Other programs as witnesses: they read the original file themselves, and their numbers stand beside ours."""

from .peer import PEERS, asked
from .witness import Original, witnessed

__all__ = ["PEERS", "Original", "asked", "witnessed"]
