"""Lagrange's equations of the second kind after Golomazdin & Dmitrochenko 2022."""

from .equations import Lagrange

__all__ = ["Lagrange"]
