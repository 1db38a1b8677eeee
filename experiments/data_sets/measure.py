"""Count what is in the data sets of the experiments: ``python experiments/data_sets/measure.py``.

Writes data_sets.json beside this file, from the folder that GRAFIK_DATA names; then
``python experiments/page.py`` shows it beside the table in the paper's appendix.
"""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from grafik import datasets

RESULT = Path(__file__).parent / "data_sets.json"
NAMES = ("DHFR", "NCI1", "PTC_MR", "IMDB-BINARY", "EGO-1", "EGO-2", "EGO-3", "EGO-4", "MUTAG")
NAMES += ("ENZYMES", "BZR_MD", "REDDIT-BINARY")


def counted(folder: Path) -> dict[str, Any]:
    """Return the numbers of a data set."""
    graphs, y = datasets.read_tu(folder)
    labels = graphs.node_labels
    return {
        "graphs": len(graphs),
        "classes": len(np.unique(y)),
        "vertices": round(float(graphs.n_nodes.mean()), 2),
        "edges": round(float(graphs.n_edges.mean()), 2),
        "labels": 1 if labels is None else len(labels.values),
    }


def main() -> None:
    """Count all data sets that are there."""
    data = Path(os.environ["GRAFIK_DATA"])
    found = {name: counted(data / name) for name in NAMES if (data / name).is_dir()}
    RESULT.write_text(json.dumps({"sets": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
