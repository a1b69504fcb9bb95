"""Conversion of the model to an MJCF."""
