"""What all pictures share: colours, texts, axes and files."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..graphs.vertex_names import as_text
from ..system.files import replacing
from ..system.optional import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito, which suit any kind of colour vision, and two greys.
BLACK, WHITE = "#000000", "#FFFFFF"
GREY, DARK = "#BBBBBB", "#666666"
YELLOW, SKY, BLUE, GREEN = "#F0E442", "#56B4E9", "#0072B2", "#009E73"
PURPLE, ORANGE, VERMILION = "#CC79A7", "#E69F00", "#D55E00"
# Neighbours differ in brightness too, for prints without colours.
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
    text = as_text(value)
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return text.replace("$", r"\$")


def number(value: float) -> str:
    """Return a number as short text, with at most four significant digits."""
    return f"{value:.4g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def importance_map(signed: bool) -> Any:
    """Return a colour map in which 0 is white, and on which black text can be read."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = (SKY, WHITE, VERMILION) if signed else (WHITE, VERMILION)
    name = "against and for" if signed else "for"
    return LinearSegmentedColormap.from_list(name, ends, N=257)  # odd, so that 0 is white


def plain_log(axis: Any, low: float, high: float) -> None:
    """Make an axis logarithmic, from `low` to `high`, with ticks at round numbers, written out."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    name = axis.axis_name
    axis.axes.set(**{f"{name}scale": "log", f"{name}lim": (low, high)})
    axis.set_major_locator(FixedLocator(round_numbers(low, high)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.15g}"))
    axis.set_minor_locator(NullLocator())


def round_numbers(low: float, high: float) -> list[float]:
    """Return a few round numbers of a range on a logarithmic axis, powers of ten if they suffice.

    Examples
    --------
    >>> from grafik.plots.style import round_numbers
    >>> round_numbers(0.5, 200), round_numbers(60, 600), round_numbers(0.12, 0.4)
    ([1.0, 10.0, 100.0], [100.0, 200.0, 500.0], [0.15, 0.2, 0.3])
    """
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found: list[float] = []
    for digits in ("1", "125", ("1", "1.5", "2", "3", "5", "7")):
        numbers = [float(f"{digit}e{decade}") for decade in decades for digit in digits]
        found = [number for number in numbers if low <= number <= high]
        if len(found) >= 3:
            break
    step = -(-len(found) // 8)  # of very many powers of ten, some
    return found[::step]


def new_axes(ax: Axes | None, width: float = 4.8, height: float = 3.6) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    if ax is not None:
        return ax
    axes: Axes = new_figure(width, height).subplots()
    return axes


def new_figure(width: float, height: float) -> Any:
    """Return a pyplot figure, which uses the user's backend; the user closes it."""
    pyplot = require("matplotlib.pyplot", "drawing", "grafik[plot]")
    from .rounded_layout import RoundedLayout

    return pyplot.figure(figsize=(width, height), layout=RoundedLayout())


def blank_figure(width: float, height: float) -> Figure:
    """Return a figure for a file: it has no window and need not be closed."""
    require("matplotlib", "drawing", "grafik[plot]")
    from matplotlib.figure import Figure

    from .rounded_layout import RoundedLayout

    return Figure(figsize=(width, height), layout=RoundedLayout())


def legend(ax: Axes, handles: list[Any], names: list[str], **options: Any) -> None:
    """Add a legend of any names; matplotlib alone drops those that start with an underscore."""
    found = ax.legend(handles, ["name"] * len(handles), frameon=False, fontsize=8, **options)
    for text, name in zip(found.get_texts(), names, strict=True):
        text.set_text(name)


def say_all_equal(ax: Axes, what: str, height: float = 0.5) -> None:
    """Write on a picture that there is nothing to tell apart in it."""
    box = {"boxstyle": "round", "facecolor": WHITE, "edgecolor": GREY}
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 9, "bbox": box}
    ax.text(0.5, height, f"all equal\n{what}", transform=ax.transAxes, **look)


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
    path : path ending in .svg, .png or .pdf; an existing file is replaced at the very end
    dpi : int
        Dots per inch of PNG files.
    metadata : dict, optional
        Texts to store in the file, under names that its format allows.

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
    """Return the format that a file name asks for; refuse unknown ones."""
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise ValueError(f"a picture must be a .svg, .png or .pdf file, got {path.name!r}")
    return kind
