"""Conversion of SDF elements to the model."""
