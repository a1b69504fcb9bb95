"""Claims of what is derived from the equations of each formalism: derivatives and the regressor."""
