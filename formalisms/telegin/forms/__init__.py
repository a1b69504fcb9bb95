"""The planar forms of the equations."""
