"""What a worker of a cluster does with a part of the vectors."""

import pytest
from scipy.sparse import csr_matrix
from sklearn.preprocessing import FunctionTransformer

from grafik import Graphs
from grafik.large.vector_files import Part
from grafik.system.files import marked

pytest.importorskip("distributed")

from grafik.distributed.vectors import make_part


def test_a_part_is_written_where_the_folder_is_that_was_marked_and_else_returned(tmp_path):
    sizes = FunctionTransformer(lambda graphs: csr_matrix(graphs.n_nodes[:, None]))
    blocks = [Graphs([0, 2, 3, 7], [0, 0, 0, 0], [])]
    with marked(tmp_path) as token:
        written = make_part(sizes, blocks, 0, 4, str(tmp_path), token)
        assert "part-000004.parquet" in [path.name for path in tmp_path.iterdir()]
        returned = make_part(sizes, blocks, 0, 5, str(tmp_path / "elsewhere"), token)
    assert isinstance(written, Part)
    assert (written.number, written.n_graphs, written.n_columns) == (4, 3, 1)
    assert returned.toarray().tolist() == [[2], [1], [4]]
    assert [path.name for path in tmp_path.iterdir()] == ["part-000004.parquet"]
