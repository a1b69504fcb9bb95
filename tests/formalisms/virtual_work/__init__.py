"""Virtual work: closed forms, identities, shares of the bodies, constraints, freed joints."""
