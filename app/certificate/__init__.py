"""Certificates: equations of motion as a text that anyone verifies, by one file that needs nothing else."""
