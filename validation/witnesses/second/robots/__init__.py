"""Texts of URDF, SDF and MJCF straight to numbers at one state: as naive and independent as the rest of the second
reading.
"""
