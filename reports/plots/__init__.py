"""Plots that matplotlib, of the extra [plot], draws."""
