"""Functional Mock-up Units of FMI 2.0 and 3.0: their description and sources, over the C of :mod:`..c`."""
