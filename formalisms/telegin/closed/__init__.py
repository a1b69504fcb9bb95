"""Closed planar linkages: cut joints, loops, dynamics, reactions."""
