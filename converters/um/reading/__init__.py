"""Conversion of an input.dat tree to the model, one idea per module."""
