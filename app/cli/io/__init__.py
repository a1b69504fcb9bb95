"""Streams of the command line: standard input, output and error."""
