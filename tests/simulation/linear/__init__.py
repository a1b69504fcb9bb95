"""Equilibria, and motions linearised near a state."""
