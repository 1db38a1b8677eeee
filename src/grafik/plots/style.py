"""What all pictures share: colours, text that stays as it is, axes and files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..system.files import replacing
from ..system.optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito, and two greys: told apart by people with any kind of colour vision.
BLACK, WHITE = "#000000", "#FFFFFF"
GREY, DARK = "#BBBBBB", "#666666"
YELLOW, SKY, BLUE, GREEN = "#F0E442", "#56B4E9", "#0072B2", "#009E73"
PURPLE, ORANGE, VERMILION = "#CC79A7", "#E69F00", "#D55E00"
# Next to each other they differ in brightness too, for paper without colours.
CYCLE = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, DARK, YELLOW)
MARKERS = "osD^vP*X"

FORMATS = ("svg", "png", "pdf")
_LONGEST = 28


def plain(value: Any, longest: int = _LONGEST) -> str:
    r"""Return text that matplotlib shows as it is: on one line, short, and never as a formula.

    Examples
    --------
    >>> from grafik.plots.style import plain
    >>> print(plain("a_1 = $x^2$"), plain("two\nlines"), plain(7))
    a_1 = \$x^2\$ two\nlines 7
    """
    text = str(value)
    if not text.isprintable():
        text = repr(text)[1:-1]
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return text.replace("$", r"\$")


def number(value: float) -> str:
    """Return a number as short as people write it."""
    return f"{value:.4g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def importance_map(signed: bool) -> Any:
    """Return colours from white for nothing on, on which black text can be read."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = (SKY, WHITE, VERMILION) if signed else (WHITE, VERMILION)
    name = "against and for" if signed else "for"
    return LinearSegmentedColormap.from_list(name, ends, N=257)  # odd, so that 0 is white


def new_axes(ax: Axes | None, width: float = 4.8, height: float = 3.6) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    axes: Axes = new_figure(width, height).subplots()
    return axes


def new_figure(width: float, height: float) -> Any:
    """Return a figure of pyplot, for the user's backend and to be closed by the user."""
    pyplot = require("matplotlib.pyplot", "drawing", "grafik[plot]")
    return pyplot.figure(figsize=(width, height), layout="constrained")


def blank_figure(width: float, height: float) -> Figure:
    """Return a figure for a file: no window, and nothing that has to be closed."""
    require("matplotlib", "drawing", "grafik[plot]")
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def legend(ax: Axes, handles: list[Any], names: list[str], **options: Any) -> None:
    """Make a legend of any names; matplotlib alone leaves out those with an underscore first."""
    found = ax.legend(handles, ["name"] * len(handles), frameon=False, fontsize=8, **options)
    for text, name in zip(found.get_texts(), names, strict=True):
        text.set_text(name)


def save(
    figure: Figure,
    path: str | os.PathLike[str],
    dpi: int = 150,
    metadata: dict[str, str] | None = None,
) -> Path:
    """Write a figure to an SVG, PNG or PDF file; the same picture makes the same bytes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : path ending in .svg, .png or .pdf; what is there is replaced when all went well
    dpi : int
        Dots per inch of PNG files.
    metadata : dict, optional
        Texts to keep in the file, by names that its format knows.

    Returns
    -------
    Path

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from grafik.plots import save
    >>> from matplotlib.figure import Figure
    >>> path = save(Figure(), pathlib.Path(tempfile.mkdtemp()) / "empty.png")
    >>> path.read_bytes()[1:4]
    b'PNG'
    """
    target = Path(path)
    kind = checked_format(target)
    import matplotlib

    undated: dict[str, Any] = {
        "svg": {"Date": None},
        "png": {"Software": None},
        "pdf": {"CreationDate": None},
    }
    with replacing(target) as part, matplotlib.rc_context({"svg.hashsalt": "grafik"}):
        figure.savefig(part, format=kind, dpi=dpi, metadata=undated[kind] | (metadata or {}))
    return target


def checked_format(path: Path) -> str:
    """Return the kind of picture that the name of a file asks for, or refuse it."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise ValueError(f"a picture must be a file .svg, .png or .pdf, got {path.name!r}")
    return kind
