"""From the tree of an input.dat to the model, one idea a module."""
