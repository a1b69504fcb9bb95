"""Check a model against equations and numbers that are not derived here: other programs', and the user's own."""
