"""Baselines of models."""
