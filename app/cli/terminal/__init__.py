"""Terminal output: colours of verdicts, tables as wide as the screen, progress of long runs, completion of words."""
