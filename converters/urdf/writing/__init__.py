"""From the model to a URDF."""
