"""`grafik demo`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import track
from rich.table import Table

from .. import datasets
from . import options as opt
from .describe import print_description


def demo(quiet: opt.Quiet = False) -> None:
    """Tell graphs apart that plain Weisfeiler-Lehman cannot, and train a classifier that does.

    It needs no data: grafik demo
    """
    from ..reproduction.csl import csl_row
    from ..reproduction.paper import CSL

    graphs, y = datasets.csl()
    print_description("Circular skip link graphs (CSL)", graphs, y)
    table = Table("walks up to", "levels", "accuracy", "the paper's", title_justify="left")
    table.title = "Which of the ten classes a filtration by numbers of walks can tell apart"
    console = Console(stderr=True)
    for length in track(
        range(1, len(CSL) + 1),
        "filtration kernels and support vector machines",
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ):
        row = csl_row(length)
        cells = f"{row.length}", f"{row.n_levels}", f"{row.accuracy:g} %", f"{row.paper} %"
        table.add_row(*cells)
    Console().print(table)
    Console().print(
        "With walks up to 5, five of the ten classes have the same weights by definition, "
        "so 60 % is the most that is possible there.",
        soft_wrap=True,
    )
    found = train_save_load_apply()
    Console().print(
        f"\nA FiltrationClassifier, trained on {found.n_train} of these graphs, chose: "
        f"{found.chosen}. Saved to a file of {found.n_bytes / 1000:.0f} kB and loaded again, it "
        f"classified {found.accuracy:g} % of the other {found.n_test} right.",
        soft_wrap=True,
        highlight=False,
    )


class Trained(NamedTuple):
    """A trained classifier: what it chose, the size of its file, and its accuracy."""

    n_train: int
    n_test: int
    chosen: str
    n_bytes: int
    accuracy: float


def train_save_load_apply() -> Trained:
    """Train a classifier on CSL graphs, save it, and let the loaded one classify other copies."""
    from sklearn.model_selection import train_test_split

    from ..models.classifier import FiltrationClassifier
    from ..models.saving import load
    from ..models.summary import chosen

    graphs, y = datasets.csl()
    train, test, y_train, y_test = train_test_split(
        graphs, y, test_size=30, stratify=y, random_state=0
    )
    model = FiltrationClassifier(weight=["degree", "walks"], thresholds="distinct")
    model.fit(train, y_train)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.grafik"
        model.save(path)
        n_bytes, loaded = path.stat().st_size, load(path)
    accuracy = 100 * float(loaded.score(test, y_test))
    return Trained(len(train), len(test), chosen(model), n_bytes, accuracy)
