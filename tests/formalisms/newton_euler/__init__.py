"""Recursive Newton–Euler: identities, structure, singular inertia, closed loops."""
