"""Sphinx: the pages of this project and the reference from its docstrings. `make docs` builds them."""

import re
from pathlib import Path
from typing import Any

from pygments.lexers.shell import BashSessionLexer
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.ext.napoleon.docstring import GoogleDocstring
from sphinx.highlighting import lexers

import mbconcord

project = "mbconcord"
version = release = mbconcord.__version__
project_copyright = "the authors of mbconcord"
language = "en"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["fixtures"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
lexers["mbsd"] = TextLexer()


class ConsoleLexer(BashSessionLexer):
    """Console whose commands stand behind a dollar alone: a printed line may begin with # or %."""

    _ps1rgx = re.compile(r"^(\$ )(.*\n?)")


lexers["console"] = ConsoleLexer()

# Links between pages are those that a repository's own viewer follows: paths and anchors of headings.
myst_heading_anchors = 4
myst_enable_extensions = ["fieldlist", "html_image"]

# Docstrings: numpydoc's sections; types stand in them, signatures keep theirs.
napoleon_google_docstring = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
# The page's title says the module.
add_module_names = False
maximum_signature_line_length = 80
default_role = "code"
# q' is a rate, not a quotation.
smartquotes = False
# Types in docstrings are words ("names of modules"), not references: some are names that several things have.
# What programs print in a console is coloured where it is a shell's text, and plain where it is not.
suppress_warnings = ["ref.python", "misc.highlighting_failure"]

html_theme = "pydata_sphinx_theme"
html_title = f"mbconcord {release}"
html_static_path = ["static"]
html_search_scorer = str(Path(__file__).with_name("ranks.js"))
html_css_files = ["pages.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "header_links_before_dropdown": 7,
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


FORMAT_PARAMETERS = GoogleDocstring._format_docutils_params


def whole(docstring: GoogleDocstring) -> list[str]:
    """Keep the text of an attribute a sentence: words before a colon in it are no type."""
    return docstring._consume_to_next_section()


def join_words(
    docstring: GoogleDocstring, fields: list[tuple[str, str, list[str]]], *roles: Any, **named: Any
) -> list[str]:
    """Keep what a parameter's colon begins one text, of which the first line is no type: signatures have these."""
    joined = [(name, "", [words, *more] if words else more) for name, words, more in fields]
    return FORMAT_PARAMETERS(docstring, joined, *roles, **named)


def plain_bars(_app: Sphinx, _what: str, _name: str, _of: object, _options: Any, lines: list[str]) -> None:
    """Bars in docstrings are magnitudes, |x|, not the substitutions of reStructuredText; those in code stay."""
    for number, line in enumerate(lines):
        pieces = re.split(r"(``.*?``)", line)
        lines[number] = "".join(p if p.startswith("``") else p.replace("|", "\\|") for p in pieces)


def plain_defaults(
    _app: Sphinx, _what: str, _name: str, _of: object, _options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Show a default without text, such as a factory, as an ellipsis, so that a signature stays Python."""
    return signature and re.sub(r"<[^<>]*>", "...", signature), returns


def setup(app: Sphinx) -> None:
    """Connect what this configuration does by itself."""
    GoogleDocstring._parse_attribute_docstring = whole  # type: ignore[method-assign]
    GoogleDocstring._format_docutils_params = join_words  # type: ignore[method-assign]
    app.connect("autodoc-process-docstring", plain_bars)
    app.connect("autodoc-process-signature", plain_defaults)
