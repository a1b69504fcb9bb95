"""Equations of motion as functions of states, and of bare arrays."""
