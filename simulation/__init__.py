"""Simulation: constraint rows, states that satisfy them."""
