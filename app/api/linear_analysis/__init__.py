"""Equilibria and linearised motions as functions."""
