"""Pictures that the examples of a page draw.

A line ``<!-- picture: what it shows -->`` after an example stands for the figure of its last axes,
`ax` or `axes`, or of its `figure`. Readers of the repository see the example alone.
"""

import contextlib
import doctest
import io
import re
from collections.abc import Iterator

import matplotlib
import numpy as np

_MARK = re.compile(r"^<!-- picture: (.+) -->$", re.M)


def has_pictures(text: str) -> bool:
    """Return whether a page has marks of pictures."""
    return _MARK.search(text) is not None


def with_pictures(text: str, name: str) -> str:
    """Return a page with pictures in place of its marks; `name` is that of the page."""
    numbers = iter(range(1, text.count("<!-- picture:") + 1))
    return _MARK.sub(lambda match: f"![{match[1]}]({name}-{next(numbers)}.png)", text)


def pictures(text: str) -> Iterator[bytes]:
    """Run the examples of a page in order, and yield the picture of each mark as PNG."""
    matplotlib.use("Agg")
    names: dict[str, object] = {}
    place = 0
    for mark in _MARK.finditer(text):
        for example in doctest.DocTestParser().get_examples(text[place : mark.start()]):
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(example.source, "<example>", "single"), names)
            except Exception:
                if example.exc_msg is None:
                    raise
        place = mark.end()
        yield _drawn(names)


def _drawn(names: dict[str, object]) -> bytes:
    drawn = names.get("figure")
    if drawn is None:
        drawn = np.ravel(names["ax"])[0].figure
    buffer = io.BytesIO()
    drawn.savefig(buffer, format="png", dpi=160, bbox_inches="tight")
    for name in ("figure", "ax"):
        names.pop(name, None)
    return buffer.getvalue()
