"""Conversion of the model to an MBSD text."""
