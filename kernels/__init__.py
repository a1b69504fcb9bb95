"""Kernels: programs of expressions as functions that a machine runs, at one state or at many."""
