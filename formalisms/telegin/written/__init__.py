"""The equations of a planar linkage in the paper's form: over names, open and closed."""
