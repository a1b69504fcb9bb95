"""Lagrange's equations of the second kind as Golomazdin & Dmitrochenko 2022 derive them."""

from .equations import Lagrange

__all__ = ["Lagrange"]
