"""From the model to an MBSD text."""
