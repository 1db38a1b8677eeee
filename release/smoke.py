"""The main job, from start to end, with a plain install: run by ``./run release-check``."""

import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import grafik
from grafik import datasets

OPTIONAL = ("pyarrow", "matplotlib", "networkx", "pandas", "dask", "rdkit", "igraph", "ot")


def main() -> None:
    """Read, compare, learn, explain, search, save and load; every step is checked."""
    present = [name for name in OPTIONAL if find_spec(name)]
    assert not present, f"a plain install brought {present}"
    folder = Path(tempfile.mkdtemp())
    graphs, y = datasets.csl(copies=4)
    datasets.write_tu(folder / "CSL", graphs, y)
    again, classes = datasets.read_tu(folder / "CSL")
    assert again == graphs
    assert classes.tolist() == y.tolist()

    kernel = grafik.FiltrationKernel(weight="walks", thresholds="distinct", normalize=True)
    gram = kernel.fit_transform(graphs)
    assert np.array_equal(gram, gram.T)
    assert np.array_equal(kernel.transform(graphs), gram)

    model = grafik.FiltrationClassifier(weight="walks", thresholds="distinct", effort="quick")
    model.fit(graphs, y).save(folder / "csl.model")
    loaded = grafik.load(folder / "csl.model")
    assert loaded.predict(graphs).tolist() == model.predict(graphs).tolist()

    explained = grafik.explain_pair(kernel, graphs[0], graphs[1])
    assert explained is not None
    vectors = grafik.FiltrationEmbedding(weight="walks").fit_transform(graphs)
    assert vectors.shape[0] == len(graphs)
    index = grafik.GraphIndex(kernel).add(graphs)
    index.save(folder / "csl.index")
    assert grafik.load(folder / "csl.index").search(graphs[0], top=1).graphs[0, 0] in range(4)

    try:
        graphs.to_parquet(folder / "csl.parquet")
        said = "Parquet files were written without pyarrow"
    except ImportError as error:
        said = str(error)
    assert "pip install 'grafik[parquet]'" in said, said
    print(f"grafik {grafik.__version__} from {Path(grafik.__file__).parent}: smoke test passed")


if __name__ == "__main__":
    main()
