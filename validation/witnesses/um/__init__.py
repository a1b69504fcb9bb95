"""Equations that Universal Mechanism generated, as one more witness: formulas, and numbers its kernel passes on."""
