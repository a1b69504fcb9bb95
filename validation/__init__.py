"""Validation: claims about models, checked on random states, with evidence and a referee."""
