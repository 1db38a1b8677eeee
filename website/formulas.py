"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network."""

from latex2mathml.converter import convert


def inline(latex: str) -> str:
    """Return a formula within a line."""
    # A line must not begin with <math>, which Markdown would take for a block.
    return f'<span class="math">{_convert(latex, "inline")}</span>'


def fence(source: str, language: str, css_class: str, options: dict, md: object, **kwargs) -> str:
    """Return the formula of a fenced block, for `pymdownx.superfences`."""
    return f'<div class="{css_class}">{_convert(source, "block")}</div>'


def _convert(latex: str, display: str) -> str:
    return convert(" ".join(latex.split()), display=display)
