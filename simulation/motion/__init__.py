"""Motion in time: equations as generated code, integrators, projection, switches, events, tables."""
