"""Reference problems: mechanisms with known motion, simulated; errors against processor time."""
