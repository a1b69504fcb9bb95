"""Work on a cluster."""
