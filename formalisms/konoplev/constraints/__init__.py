"""Constrained systems, (4.6)-(4.8): rows, cut joints, accelerations and reactions."""
