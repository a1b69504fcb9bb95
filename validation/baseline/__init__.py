"""Baselines: what the equations of a model are, as a text to be reviewed, and what of it has changed since."""
