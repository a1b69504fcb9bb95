"""From the model to an SDF."""
