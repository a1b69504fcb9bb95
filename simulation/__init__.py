"""Simulation: states that satisfy the constraints."""
