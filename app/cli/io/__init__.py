"""Where the command line meets the system: standard streams."""
