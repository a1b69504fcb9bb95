"""Functions of mbconcord: the command line prints their results."""
