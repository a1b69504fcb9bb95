"""Equilibria, and motions linearised near a state: matrices, modes, state space."""
