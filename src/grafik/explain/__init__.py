"""Why two graphs are similar, and why a model predicts what it does: exact contributions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..arrays.checks import checked_integer
from ..features.wl_trees import SHOWN_DEPTH, SHOWN_WIDTH
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..kernels.kernel import FiltrationKernel
from ..models.classifier import FiltrationClassifier
from ..models.regressor import FiltrationRegressor
from .contributions import by_feature, kernel_terms, keys, term_keys
from .graph import ExplainedGraph, Part, contributions_of
from .results import (
    FeatureContribution,
    GraphContribution,
    PairExplanation,
    PredictionExplanation,
)


def explain_pair(
    kernel: Any,
    g: Any,
    h: Any,
    *,
    max_depth: int = SHOWN_DEPTH,
    max_width: int = SHOWN_WIDTH,
) -> PairExplanation:
    """Split the kernel of two graphs into contributions of features that add up to it.

    Nothing is estimated: a sum kernel is a sum over features, and the logarithm of a product kernel
    is one too. With ``normalize=True``, contributions are normalised like the kernel.

    Parameters
    ----------
    kernel : FiltrationKernel
        Fitted or not. If it is not fitted, it stays so; thresholds are learned from the two graphs,
        and `fitted` of the result is False.
    g, h : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes
    max_depth, max_width : int
        Depth and width to which the trees behind labels are written, see
        :func:`grafik.features.wl_trees.unfolding_tree`.

    Returns
    -------
    PairExplanation
        It prints as a table; `features`, `to_pandas` and `to_dict` have everything.

    Examples
    --------
    The prism and K(3, 3) share two features: a vertex, and at the second level a vertex with three
    neighbours. At the first level they differ, as only the prism has triangles, whose edges come
    early.

    >>> from grafik import FiltrationKernel, datasets, explain_pair
    >>> from grafik.features import WeisfeilerLehman
    >>> graphs, y = datasets.triangle_pair()
    >>> kernel = FiltrationKernel(WeisfeilerLehman(depth=1), weight="triangles", n_levels=2)
    >>> print(explain_pair(kernel.fit(graphs), graphs[0], graphs[1]))
    K(g, h) = 180 (sum kernel)
    2 features shared; 2 levels
    <BLANKLINE>
    contribution  depth  W1  mass g  mass h  levels g  levels h  feature
             144      0   0      12      12       0-1       0-1  *
              36      1   0       6       6         1         1  *(3x*)
    """
    if not isinstance(kernel, FiltrationKernel):
        hint = "; for a model take model.kernel_" if hasattr(kernel, "kernel_") else ""
        raise TypeError(f"kernel must be a FiltrationKernel, got a {type(kernel).__name__}{hint}")
    first, second = _one(g, "g"), _one(h, "h")
    fitted = hasattr(kernel, "histograms_")
    if not fitted:
        kernel = clone(kernel).fit(Graphs.concat([first, second]))
    x, compared = kernel.count(first), kernel.on_histograms()
    # Exact labels of the second graph extend the dictionary of the first.
    y = kernel.counter().count(second, known=x)
    value = float(compared.gram(x, y)[0, 0])
    terms = kernel_terms(compared, x, y)
    shown = max_depth, max_width
    sides = ExplainedGraph(kernel, first, x, y, shown), ExplainedGraph(kernel, second, y, x, shown)
    columns = terms.values.tolist(), terms.distances.tolist()
    parts = map(Part, term_keys(terms, x, y), *columns)
    with np.errstate(over="ignore"):
        total = value if kernel.combine == "sum" else float(np.sum(terms.values))
    return PairExplanation(
        value=value,
        total=total,
        base=0.0,
        features=_sorted(contributions_of(parts, sides)),
        alphas=kernel.alphas_,
        barcodes=tuple(side.bars for side in sides),
        n_nodes=(int(first.node_ptr[-1]), int(second.node_ptr[-1])),
        combine=kernel.combine,
        normalize=bool(kernel.normalize),
        fitted=fitted,
    )


def explain_prediction(
    model: Any,
    g: Any,
    *,
    toward: Any = None,
    against: Any = None,
    max_depth: int = SHOWN_DEPTH,
    max_width: int = SHOWN_WIDTH,
) -> PredictionExplanation:
    r"""Split the decision of a model on a graph into contributions of features and training graphs.

    The decision value is :math:`b + \sum_s c_s K(g, s)` over the support vectors `s`. Each of them
    contributes :math:`c_s K(g, s)`. For sum kernels each feature contributes its part of all
    :math:`K(g, s)` together; what is left is the intercept `b`.

    The product kernel is not a sum over features, so it can be split in several ways. Here,
    features contribute :math:`c_s (K - 1) \log k_f / \log K` to each :math:`K = \prod_f k_f`: what
    is lost against an equal graph, in proportion to the logarithms (integrated gradients, or
    Aumann-Shapley values, of the exponential). What is left is then the decision for a graph that
    equals all support vectors.

    Parameters
    ----------
    model : FiltrationClassifier or FiltrationRegressor
        Fitted, or read by :func:`grafik.load`.
    g : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes
    toward : class, optional
        The class that positive contributions speak for. By default the second of two classes, so
        that the value is that of `decision_function`; of several classes, the predicted one.
    against : class, optional
        The class that negative contributions speak for. By default all others together: the value
        is then the sum of the decision values between `toward` and each of them.
    max_depth, max_width : int
        As for :func:`explain_pair`.

    Returns
    -------
    PredictionExplanation
        With the features of `g`. In product kernels, features that only training graphs have count
        too; these are known by their hashes alone, as a model does not keep its training graphs.

    Examples
    --------
    >>> from grafik import FiltrationClassifier, datasets, explain_prediction
    >>> graphs, y = datasets.csl(skips=(2, 3), copies=8)
    >>> model = FiltrationClassifier(weight="triangles").fit(graphs[::2], y[::2])
    >>> found = explain_prediction(model, graphs[1])
    >>> found.toward, found.value > 0
    (3, False)
    >>> parts = sum(f.contribution for f in found.features)
    >>> bool(abs(found.base + parts - model.decision_function(graphs[1])[0]) < 1e-10)
    True
    """
    if not isinstance(model, (FiltrationClassifier, FiltrationRegressor)):
        raise TypeError(
            "model must be a FiltrationClassifier or FiltrationRegressor, "
            f"got a {type(model).__name__}"
        )
    check_is_fitted(model)
    graph, kernel = _one(g, "g"), model.kernel_
    if isinstance(model, FiltrationClassifier):
        toward, against, codes = _classes(model, graph, toward, against)
        pairs = [model.machine_.linear(codes[0], other) for other in codes[1:]]
        coefficients = np.sum([pair[0] for pair in pairs], axis=0)
        intercept = sum(pair[1] for pair in pairs)
        targets = np.repeat(model.classes_, model.machine_.n_support).tolist()
    else:
        if toward is not None or against is not None:
            raise ValueError("toward and against are for classifiers; leave them out")
        coefficients, intercept = model.machine_.linear(1, 0)
        coefficients = coefficients * model.scale_
        intercept = intercept * model.scale_ + model.mean_
        targets = [None] * len(coefficients)
    x, y, compared = kernel.count(graph), kernel.histograms_, kernel.on_histograms()
    similarities = compared.gram(x, y)[0, : len(coefficients)]
    by_graph = coefficients * similarities
    numbers = (column.tolist() for column in (similarities, coefficients, by_graph))
    rows = zip(model.support_.tolist(), targets, *numbers, strict=True)
    parts, base = by_feature(compared, x, y, coefficients)
    side = ExplainedGraph(kernel, graph, x, y, (max_depth, max_width))
    value = float(by_graph.sum()) + intercept
    return PredictionExplanation(
        value=value,
        total=value,
        base=base + intercept,
        features=_sorted(contributions_of(starmap(Part, parts.items()), (side,))),
        alphas=kernel.alphas_,
        barcodes=(side.bars,),
        n_nodes=(int(graph.node_ptr[-1]),),
        intercept=intercept,
        toward=toward,
        against=against,
        graphs=tuple(sorted((GraphContribution(*row) for row in rows), key=_by_size)),
    )


def vertex_importance(
    explanation: PairExplanation | PredictionExplanation, graph: int = 0
) -> NDArray[np.float64]:
    """Return how important each vertex is: its share of the contributions of features.

    The occurrences of a feature share its contribution in proportion to how long each of them
    lives. So the vertices of a graph add up to what all features that occur in it contribute. For
    sum kernels that is the kernel value itself, or the decision without its intercept.

    Parameters
    ----------
    explanation : PairExplanation or PredictionExplanation
    graph : int
        For a pair, 0 is the first graph and 1 the second.

    Returns
    -------
    ndarray of float64, shape (n_nodes,)

    Examples
    --------
    >>> from grafik import FiltrationKernel, Graphs, explain_pair, vertex_importance
    >>> ether = Graphs([0, 3], [0, 2], [[0, 1], [1, 2]], node_labels=["C", "O", "C"])
    >>> alcohol = Graphs([0, 3], [0, 2], [[0, 1], [1, 2]], node_labels=["C", "C", "O"])
    >>> why = explain_pair(FiltrationKernel(n_levels=1), ether, alcohol)
    >>> why.value, [f.name for f in why.features]
    (5.0, ['C', 'O'])
    >>> vertex_importance(why), vertex_importance(why, 1)
    (array([2., 1., 2.]), array([2., 2., 1.]))
    """
    number = checked_integer("graph", graph, 0, len(explanation.barcodes) - 1)
    bars = explanation.barcodes[number]
    if bars is None:
        raise TypeError(
            "only features that sit at single vertices, as WeisfeilerLehman labels do, tell how "
            "important a vertex is"
        )
    per_level = {
        (found.depth, found.feature): found.contribution / found.masses[number]
        for found in explanation.features
        if found.masses[number]
    }
    rates = [per_level.get(key, 0.0) for key in keys(bars.depths, bars.features)]
    shares = np.array(rates) * (bars.deaths - bars.births)
    found = np.bincount(bars.vertices, shares, minlength=explanation.n_nodes[number])
    return found.astype(np.float64)  # without any bars, bincount returns integers


def _one(graph: Any, name: str) -> Graphs:
    batch = as_graphs(graph)
    if len(batch) != 1:
        raise ValueError(f"{name} must be one graph, got {len(batch)}")
    return batch


def _classes(
    model: FiltrationClassifier, graph: Graphs, toward: Any, against: Any
) -> tuple[Any, Any, list[int]]:
    """Return the class that is explained, the one against it or None, and the codes to compare."""
    classes = model.classes_.tolist()
    if toward is None and len(classes) == 2:
        toward = classes[1] if against is None or against == classes[0] else classes[0]
    elif toward is None:
        toward = model.predict(graph)[0]
    for name, value in (("toward", toward), ("against", against)):
        if value is not None and value not in classes:
            raise ValueError(f"{name} must be one of the classes {classes}, got {value!r}")
    code = classes.index(toward)
    if against is None:
        others = [i for i in range(len(classes)) if i != code]
        return classes[code], classes[others[0]] if len(others) == 1 else None, [code, *others]
    if against == toward:
        raise ValueError(f"toward and against must be two classes, got {toward!r} twice")
    other = classes.index(against)
    return classes[code], classes[other], [code, other]


def _sorted(found: Iterable[FeatureContribution]) -> tuple[FeatureContribution, ...]:
    """Return features by decreasing size of contribution; ties go to the simpler feature."""
    return tuple(sorted(found, key=lambda f: (*_by_size(f), f.depth, f.name, f.feature)))


def _by_size(found: FeatureContribution | GraphContribution) -> tuple[float]:
    return (-abs(found.contribution),)
