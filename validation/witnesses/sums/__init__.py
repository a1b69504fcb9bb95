"""Sums over the bodies of a model: first moments and joint forces, compared with those of formalisms."""
