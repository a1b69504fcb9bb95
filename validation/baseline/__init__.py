"""Baselines: the equations of a model as a text for review, and changes since."""
