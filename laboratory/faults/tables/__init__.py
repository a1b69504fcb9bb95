"""Tables of seeded faults, one module per formalism."""
