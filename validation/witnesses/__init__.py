"""Witnesses: every source of numbers about a model; their questions, answers, and registry."""

from ..judge.witness import Answer, Labelled, Question, SilentError, Witness

__all__ = ["Answer", "Labelled", "Question", "SilentError", "Witness"]
