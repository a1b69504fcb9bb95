"""Equations of motion that a user derived ("own equations"), compared with those of a model term by term."""
