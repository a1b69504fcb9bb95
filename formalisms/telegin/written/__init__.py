"""The equations of a planar linkage as the paper writes them: over names, open and closed."""
