"""Conversion of URDF elements to the model."""
