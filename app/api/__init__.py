"""What mbconcord does, as functions: the command line prints what these give."""
