"""Check of models too large for equations: recursions of formalisms link by link, with bounds of their rounding."""
