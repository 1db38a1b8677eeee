"""The vectors that are made of many graphs; workers of a cluster import this."""

from grafik import FiltrationEmbedding, Graphs

from .ours import PAPER_LABELS

N_COLUMNS = 2**16


def embedding(graphs: Graphs, n_jobs: int | None) -> FiltrationEmbedding:
    """Return a fitted transformer from graphs to hashed vectors: three levels, depth 5."""
    return FiltrationEmbedding(
        PAPER_LABELS, method="hashed", n_components=N_COLUMNS, n_jobs=n_jobs
    ).fit(graphs)
