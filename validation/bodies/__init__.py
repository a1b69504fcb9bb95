"""Sums over the bodies of a model: first moments, what joints bear, against what formalisms say of them."""
