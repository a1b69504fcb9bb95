"""Constraints: own rows, constrained motions by witnesses, and comparison of two models' constraints."""
