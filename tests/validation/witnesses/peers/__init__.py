"""Other programs as witnesses."""
