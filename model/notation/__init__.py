"""What a formalism writes in its own notation: lists of quantities, balances, sections of a report; shortest forms."""
