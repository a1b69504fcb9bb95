"""Systems with constraints: rows of virtual displacements, admissible displacements, and ideal reactions."""
