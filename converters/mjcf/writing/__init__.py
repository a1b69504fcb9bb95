"""From the model to an MJCF."""
