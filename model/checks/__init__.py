"""Checks of a model: its structure on construction, its physics when numbers are known.

Every finding says which thing, which condition, and what to do about it. A check is imported from its own module:
that of structure is part of the model, and those of numbers load NumPy.
"""
