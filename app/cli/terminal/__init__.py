"""What a person sees: colours of verdicts, tables as wide as the screen, where a long run is, completion of words."""
