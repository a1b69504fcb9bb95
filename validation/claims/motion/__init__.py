"""Trajectories as evidence: the same motion by several formalisms, and its conserved quantities."""

from .by_formalisms import moving, starts_of

__all__ = ["moving", "starts_of"]
