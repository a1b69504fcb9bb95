"""Constraints: own rows, motions with constraints by witnesses, and whether two models are constrained alike."""
