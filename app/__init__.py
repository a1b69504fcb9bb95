"""mbconcord: convert multibody models and cross-validate their equations of motion."""

__version__ = "0.1.0"
