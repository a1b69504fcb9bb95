"""Certificates: the file that verifies them, its vectors, forgeries and hostile texts."""
