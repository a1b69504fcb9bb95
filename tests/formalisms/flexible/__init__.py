"""Generalised Newton–Euler for elastic links: vectors, stability, the mixed problem."""
