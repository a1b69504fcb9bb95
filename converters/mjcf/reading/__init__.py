"""From the elements of an MJCF to the model."""
