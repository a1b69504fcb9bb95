"""Systems with constraints: rows of virtual displacements, what they admit, and the reactions that do no work on it."""
