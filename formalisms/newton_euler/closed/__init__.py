"""Closed loops by the recursions: cut frames outward, reactions inward, both only as far as the loop's own carrier."""
