"""Equations as source code that is shipped: a library in C with its test, a module for JAX or CasADi."""
