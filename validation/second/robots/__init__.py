"""Texts of URDF, SDF and MJCF straight to numbers at one state: naive and alone as the rest of the second reading."""
