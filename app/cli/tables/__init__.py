"""Numbers of ``evaluate`` as tables and JSON: constraints, forces in joints."""
