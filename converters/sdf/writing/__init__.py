"""Conversion of the model to an SDF."""
