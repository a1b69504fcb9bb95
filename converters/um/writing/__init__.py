"""Conversion of the model to the tree of an input.dat."""
