"""Witnesses of runs: what a table of a motion prints, by what none of it was computed from."""
