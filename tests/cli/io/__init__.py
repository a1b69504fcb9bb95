"""Files and processes of commands."""
