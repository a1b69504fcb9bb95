"""Elastic bodies: modes and nodes as numbers, and a model without them."""

from .modes import ElasticModes, ElasticNode, Matrix, matrix

__all__ = ["ElasticModes", "ElasticNode", "Matrix", "matrix"]
