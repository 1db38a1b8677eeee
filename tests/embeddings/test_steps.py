"""Masses by steps: the smaller mass as a product of columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from grafik import FiltrationEmbedding, FiltrationKernel, Graphs, explain_prediction
from grafik.embeddings import steps
from grafik.features import VertexEdgeHistogram, WeisfeilerLehman


def lone(*sizes):
    """Graphs of some vertices each, without edges."""
    return Graphs.from_edge_lists([[]] * len(sizes), list(sizes))


def test_masses_within_and_above_the_steps():
    embedding = FiltrationEmbedding(VertexEdgeHistogram(), n_levels=1, mass="min")
    known = embedding.fit_transform(lone(2, 3, 7, 7))
    assert embedding.steps_.levels.tolist() == [2.0, 3.0, 7.0]
    assert_allclose(known.toarray()[2], np.sqrt([2.0, 1.0, 4.0]))
    sizes = [1, 2, 5, 6, 8, 9]
    new = embedding.transform(lone(*sizes))
    least = np.minimum.outer(sizes, [2, 3, 7, 7])
    assert_allclose((new @ known.T).toarray(), least)  # exact, where a training graph takes part
    among = (new @ new.T).toarray()
    assert_allclose(among[1, 2], 2.0)
    assert_allclose(among[2, 3], 3 + 2 * 3 / 4)  # both within the last step: less than 5
    assert_allclose(among[4, 5], 7.0)  # above it: as if both had 7
    names = embedding.get_feature_names_out().tolist()
    assert [name.split(" mass ")[1] for name in names] == ["2", "3", "7"]


def test_names_are_different_and_columns_belong_to_features(batch):
    graphs, y = batch
    embedding = FiltrationEmbedding(WeisfeilerLehman(2), weight="walks", mass="min")
    vectors = embedding.fit_transform(graphs)
    names = embedding.get_feature_names_out()
    assert len(set(names)) == len(names) == vectors.shape[1] == embedding.column_ptr_[-1]
    assert sparse.csr_matrix(vectors).has_sorted_indices
    model = make_pipeline(embedding, LinearSVC(C=0.1, tol=0.1)).fit(graphs, y)
    found = explain_prediction(model, graphs[3])
    total = sum(one.contribution for one in found.features) + found.base
    assert total == pytest.approx(found.value)
    assert abs(found.value) == pytest.approx(np.abs(model.decision_function(graphs[3])).max())


def test_what_was_fitted_counts(batch):
    graphs, _ = batch
    embedding = FiltrationEmbedding(mass="min", normalize=True)
    found = embedding.fit_transform(graphs)
    changed = embedding.set_params(mass="linear")
    assert (changed.transform(graphs) != found).nnz == 0
    gram = FiltrationKernel(normalize=True).fit_transform(graphs)
    again = changed.fit_transform(graphs)
    assert_allclose((again @ again.T).toarray(), gram, rtol=1e-10)


def test_what_cannot_be_is_refused(batch, monkeypatch):
    graphs, _ = batch
    with pytest.raises(ValueError, match="no hashed map.*set method='exact' or mass='linear'"):
        FiltrationEmbedding(mass="min", method="hashed").fit(graphs)
    with pytest.raises(ValueError, match="mass must be 'linear' or 'min', got 'max'"):
        FiltrationEmbedding(mass="max").fit(graphs)
    monkeypatch.setattr(steps, "_MOST_COLUMNS", 99)
    with pytest.raises(ValueError, match="columns, but at most 99 are possible; give rank or"):
        FiltrationEmbedding(mass="min").fit(graphs)


def test_columns_of_a_feature_with_one_mass_are_not_named_after_it():
    options = {"n_levels": 1, "mass": "min"}
    edges = VertexEdgeHistogram(vertices=False)
    graphs = Graphs.from_edge_lists([[(0, 1)], [(0, 1), (1, 2)]])
    one = FiltrationEmbedding(edges, **options).fit(graphs[:1]).get_feature_names_out().tolist()
    two = FiltrationEmbedding(edges, **options).fit(graphs).get_feature_names_out().tolist()
    assert two == [f"{one[0]} mass 1", f"{one[0]} mass 2"]
