"""Formats of robots."""
