"""A batch of graphs goes through scikit-learn's tools as it is."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    learning_curve,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import resample, shuffle

from grafik import Graphs, as_graphs, datasets


class Edges(TransformerMixin, BaseEstimator):
    """Number of edges to a power."""

    def __init__(self, power=1):
        self.power = power

    def fit(self, graphs, y=None):
        assert isinstance(graphs, (Graphs, np.ndarray, pd.Series, pd.DataFrame))
        return self

    def transform(self, graphs):
        return (as_graphs(graphs).n_edges[:, np.newaxis] / 100.0) ** self.power


@pytest.fixture(scope="module")
def data():
    return datasets.random_graphs(60, n_nodes=20, density=(0.1, 0.4))


def test_scores_and_searches_by_edges(data):
    graphs, y = data
    model = make_pipeline(Edges(), SVC())
    assert cross_val_score(model, graphs, y, cv=StratifiedKFold(5)).mean() == 1.0
    assert (cross_val_predict(model, graphs, y, cv=3) == y).all()
    search = GridSearchCV(model, {"edges__power": [0, 1]}, cv=3).fit(graphs, y)
    assert search.best_params_ == {"edges__power": 1}
    assert search.predict(graphs[:4]).tolist() == y[:4].tolist()
    sizes, train, _ = learning_curve(model, graphs, y, cv=3, train_sizes=[0.5, 1.0])
    assert sizes.tolist() == [20, 40]
    assert train.min() == 1.0


def test_parallel_workers_get_the_same_graphs(data):
    graphs, y = data
    scores = cross_val_score(make_pipeline(Edges(), SVC()), graphs, y, cv=3, n_jobs=2)
    assert scores.tolist() == [1.0, 1.0, 1.0]


def test_splitting_and_shuffling_keep_batches_and_pairs(data):
    graphs, y = data
    train, test, y_train, y_test = train_test_split(graphs, y, random_state=0, stratify=y)
    assert (type(train), len(train), len(test)) == (Graphs, 45, 15)
    for part, labels in ((train, y_train), (test, y_test)):
        assert ((part.n_edges > 45) == labels).all()
    mixed, y_mixed = shuffle(graphs, y, random_state=0)
    assert mixed != graphs
    assert ((mixed.n_edges > 45) == y_mixed).all()
    assert len(resample(graphs, n_samples=5, random_state=0)) == 5


def test_single_estimator_without_pipeline(data):
    class Threshold(ClassifierMixin, BaseEstimator):
        def fit(self, graphs, y):
            self.classes_ = np.unique(y)
            means = [graphs.n_edges[y == c].mean() for c in self.classes_]
            self.cut_ = np.mean(means)
            return self

        def predict(self, graphs):
            return (graphs.n_edges > self.cut_).astype(int)

    assert cross_val_score(Threshold(), *data, cv=4).tolist() == [1.0] * 4


def test_columns_of_graphs_go_through_scikit_learn(data):
    graphs, y = data
    objects = np.empty((len(graphs), 1), object)
    objects[:, 0] = list(graphs)
    frame = pd.DataFrame({"graph": objects[:, 0], "size": graphs.n_nodes})
    for column in ("graph", ["graph"]):
        chosen = ColumnTransformer([("edges", Edges(), column), ("size", "passthrough", ["size"])])
        expected = np.column_stack([graphs.n_edges / 100.0, graphs.n_nodes])
        assert (chosen.fit_transform(frame) == expected).all()
    bag = BaggingClassifier(make_pipeline(Edges(), SVC()), n_estimators=3, random_state=0)
    assert bag.fit(objects, y).score(objects, y) == 1.0
