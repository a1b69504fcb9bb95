"""What a package of another author brings to mbconcord: a formalism with its faults, and a format."""
