"""Closed loops by the recursions: cut frames outward, reactions inward, both only between the cut and the carrier."""
