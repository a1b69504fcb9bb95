"""Witnesses of runs: the numbers in a table of a motion are judged by code that did not compute them."""
