"""From the elements of an SDF to the model."""
