"""Recursions over links run: steps of one kind of link compiled once, looped over the links."""
