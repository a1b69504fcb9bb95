"""Where the command line meets the system: standard streams, and files that are replaced whole."""
