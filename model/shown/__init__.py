"""How values show themselves: in a line, as a table of pandas, and as HTML for notebooks."""

from .lines import count, line
from .tables import Markup, frame, html_table

__all__ = ["Markup", "count", "frame", "html_table", "line"]
