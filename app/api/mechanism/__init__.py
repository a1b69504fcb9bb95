"""Systems built in Python: bodies, then how each is carried; forces and constraints between them."""

from .mechanism import Mechanism

__all__ = ["Mechanism"]
