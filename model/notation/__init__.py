"""Notation of a formalism: lists of quantities, balances, sections of a report; shortest forms."""
