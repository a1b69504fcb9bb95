"""Mechanisms as pictures: frames followed in numbers, scenes of lines and joints, elastic modes; as SVG."""
