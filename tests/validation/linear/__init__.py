"""Evidence about linearised motions."""
