"""The functions of Python: what they take, what they give, what they refuse."""
