"""The section of docs/embeddings.md on what was measured, made from the result file."""

from pathlib import Path

from .machine import named
from .table import markdown, number, wrapped

DOCS = Path(__file__).parents[1] / "docs" / "embeddings.md"


def block(result: dict) -> str:
    """Return all that stands between the markers."""
    parts = [
        "" if result["complete"] else "**These are figures of a trial run.**",
        wrapped(
            "Weisfeiler-Lehman labels of depth 5, degree weights (distances for BZR_MD), three "
            "levels if not stated otherwise. Seconds are those of one processor: "
            f"{named(result)}, Python {result['python']}, scikit-learn "
            f"{result['packages']['scikit-learn']}, {result['date']}; `./run bench embedding` "
            "measures all of it again."
        ),
        "Exact vectors, and the largest relative difference of any product from the Gram matrix:",
        markdown(
            ["data", "graphs", "levels", "columns", "entries", "difference", "map, s", "Gram, s"],
            [_exact(row) for row in result["exact"]],
        ),
        _accuracy(result["accuracy"]),
        wrapped(
            "Training on NCI1, and on more graphs: variants, in which a fifth of the labels is "
            "changed. *Faster*: exact and hashed vectors, with the map, against the kernel."
        ),
        markdown(
            ["graphs", "Gram + SVC, s", "exact + LinearSVC, s", "hashed + LinearSVC, s", "faster"],
            [_training(row) for row in result["training"]],
        ),
        "Hashed vectors of NCI1, with 65536 components:",
        markdown(
            ["grids", "graphs per second and core", "entries per graph"],
            [
                [
                    str(row["n_bins"]),
                    f"{row['graphs_per_second']:.0f}",
                    f"{row['entries_per_graph']:.0f}",
                ]
                for row in result["throughput"]
            ],
        ),
        "Root mean square error of products of normalised hashed vectors, on NCI1, with one seed:",
        markdown(
            ["grids", "components", "error"],
            [
                [
                    str(row["n_bins"]),
                    f"{row['n_components']}",
                    number(row["root_mean_square"]),
                ]
                for row in result["errors"]
            ],
        ),
        _unbiased(result["unbiased"]),
        wrapped(
            "Search for the ten best among the graphs of NCI1, also with variants. *Shared* "
            "is the part of the index that a full row of the Gram matrix needs, *touched* what the "
            "search looked at."
        ),
        markdown(
            [
                "graphs, kernel",
                *("same ten", "shared", "touched", "ms"),
                *("approximate: recall", "touched", "ms"),
            ],
            [_search(row) for row in result["search"]],
        ),
    ]
    return "\n\n".join(part for part in parts if part)


def _exact(row: dict) -> list[str]:
    if "missing" in row:
        return [row["data"], "data missing", *["-"] * 6]
    return [
        row["data"],
        str(row["graphs"]),
        str(row["levels"]),
        str(row["columns"]),
        str(row["entries"]),
        f"{row['largest_relative_error']:.0e}",
        number(row["map_seconds"]),
        number(row["gram_seconds"]),
    ]


def _accuracy(found: dict) -> str:
    kernel, exact, hashed = (100 * found[way]["mean"] for way in ("kernel", "exact", "hashed"))
    return wrapped(
        f"Accuracy on {found['data']}, normalised, the same {found['folds']} folds: kernel machine "
        f"(`SVC`, C = {found['C']:g}) {kernel:.2f} %, linear machine (`LinearSVC`, C = "
        f"{found['linear_C']:g}, tol = {found['tol']:g}) on exact vectors {exact:.2f} %, on hashed "
        f"ones {hashed:.2f} %."
    )


def _training(row: dict) -> list[str]:
    sums = [
        f"{number(row[way]['map_seconds'])} + {number(row[way]['machine_seconds'])}"
        for way in ("kernel", "exact", "hashed")
    ]
    gains = [f"{row[way]['times_faster']:.1f}" for way in ("exact", "hashed")]
    return [str(row["graphs"]), *sums, " / ".join(gains)]


def _unbiased(found: dict) -> str:
    return wrapped(
        f"Over {found['seeds']} values of `random_state`, products of {found['data']} are larger "
        f"than the kernel by {100 * found['mean_relative_bias']:.3f} % on average, with a standard "
        f"error of {100 * found['standard_error_of_bias']:.3f} %; their variance is "
        f"{found['variance_over_law']:.2f} times that of the law above."
    )


def _search(row: dict) -> list[str]:
    return [
        f"{row['graphs']}, {'normalised' if row['normalize'] else 'plain'}",
        f"{100 * row['same_top_ten']:.0f} %",
        f"{100 * row['shared']:.1f} %",
        f"{100 * row['touched']:.1f} %",
        number(1000 * row["seconds"]),
        f"{100 * row['approximate_recall']:.0f} %",
        f"{100 * row['approximate_touched']:.1f} %",
        number(1000 * row["approximate_seconds"]),
    ]
