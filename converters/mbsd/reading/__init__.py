"""From an MBSD text to the model."""
