"""Models too large for equations: recursions of two formalisms link by link, with bounds of their rounding."""
