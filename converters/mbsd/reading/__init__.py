"""Conversion of an MBSD text to the model."""
