"""Witness of equations that Universal Mechanism generated: their formulas, and numbers that its kernel hands over."""
