"""Execution of recursions over links: steps of one kind of link compiled once, looped over the links."""
