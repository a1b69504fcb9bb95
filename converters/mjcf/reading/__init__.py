"""Conversion of MJCF elements to the model."""
