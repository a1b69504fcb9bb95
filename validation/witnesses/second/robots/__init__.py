"""Second reading of URDF, SDF, MJCF and OpenUSD: numbers at one state directly from a text, as naive and independent
as the rest of the second reading.
"""
