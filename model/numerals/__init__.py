"""Numbers as people write them: what was probably meant by a text that is none."""
