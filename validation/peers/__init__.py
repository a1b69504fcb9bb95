"""Other programs as witnesses: they read the original file themselves, and their numbers stand beside ours."""

from .peer import PEERS, asked, takes_model
from .witness import Original, witnessed

__all__ = ["PEERS", "Original", "asked", "takes_model", "witnessed"]
