"""Fewer landmarks leave a rest that shrinks, within the tolerance."""

import numpy as np
from numpy.testing import assert_allclose

from embedded_graphs import products
from grafik import FiltrationEmbedding, FiltrationKernel


def test_leaving_out_what_few_graphs_have(batch):
    graphs, _ = batch
    gram = FiltrationKernel().fit_transform(graphs)
    embedding = FiltrationEmbedding(min_graphs=2)
    found = products(embedding.fit_transform(graphs))
    apart = ~np.eye(len(graphs), dtype=bool)
    assert_allclose(found[apart], gram[apart], rtol=1e-11)
    assert (np.diag(found) < np.diag(gram)).any()
    everything = FiltrationEmbedding().fit_transform(graphs)
    in_graphs = np.bincount(everything.indices, minlength=everything.shape[1])
    assert embedding.landmarks_.column_ptr[-1] < (in_graphs > 0).sum()


def test_fewer_landmarks_leave_a_positive_rest_that_shrinks(batch):
    graphs, _ = batch
    options = {"weight": "walks", "n_levels": 6, "gamma": 5.0}
    gram = FiltrationKernel(**options).fit_transform(graphs)
    lost = []
    for rank in (1, 2, 4, 8, None):
        embedding = FiltrationEmbedding(rank=rank, **options)
        rest = gram - products(embedding.fit_transform(graphs))
        assert np.linalg.eigvalsh(rest).min() > -1e-10 * gram.max()
        lost.append(np.trace(rest) / np.trace(gram))
        widths = np.diff(embedding.landmarks_.column_ptr)
        assert widths.max() == rank if rank else lost[-1] < 1e-12
    assert lost == sorted(lost, reverse=True)
    assert lost[0] > 0.01


def test_tolerance_bounds_the_error_of_base_kernels(batch):
    graphs, _ = batch
    options = {"weight": "walks", "n_levels": 6, "gamma": 5.0}
    gram = FiltrationKernel(**options).fit_transform(graphs)
    most = FiltrationKernel(**{**options, "gamma": 0.0}).fit_transform(graphs)
    n_columns = []
    for tol in (0.5, 0.2, 1e-12):
        vectors = FiltrationEmbedding(tol=tol, **options).fit_transform(graphs)
        assert (np.abs(gram - products(vectors)) <= (tol + 1e-12) * most).all()
        n_columns.append(vectors.shape[1])
    assert n_columns == sorted(set(n_columns))
