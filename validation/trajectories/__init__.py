"""Trajectories as evidence: the same motion by several formalisms, and what a motion keeps."""

from .check import moving, starts_of

__all__ = ["moving", "starts_of"]
