"""Claims about quantities derived from the equations of each formalism: derivatives and the regressor."""
