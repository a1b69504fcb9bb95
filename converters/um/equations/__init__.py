"""Equations of motion that Universal Mechanism generated: the C++ set of a model, and Pascal-like prints."""

from .reader import read

__all__ = ["read"]
