"""Virtual work: Pogorelov's direct method, which differentiates no energy."""

from .equations import VirtualWork

__all__ = ["VirtualWork"]
