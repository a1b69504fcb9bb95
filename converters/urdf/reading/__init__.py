"""From the elements of a URDF to the model."""
