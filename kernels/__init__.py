"""Kernels: programs of expressions as executable functions, at one state or at many."""
