"""Plots by matplotlib, of the extra [plot]."""
