"""Reference problems: mechanisms whose motion is known, followed in time; errors against processor time."""
