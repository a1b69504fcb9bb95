"""Equations of motion that somebody derived himself, compared with those of a model term by term."""
