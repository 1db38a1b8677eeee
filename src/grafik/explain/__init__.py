"""Why two graphs are similar, and why a model predicts what it does: exact contributions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import starmap
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..arrays.checks import checked_integer
from ..embeddings.embedding import FiltrationEmbedding
from ..features.wl_trees import SHOWN_DEPTH, SHOWN_WIDTH
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..graphs.labels import Label
from ..kernels.kernel import FiltrationKernel
from .contributions import kernel_terms, term_keys
from .graph import ExplainedGraph, Part, contributions_of
from .importance import by_name, shares
from .linear_models import linear_model
from .results import (
    FeatureContribution,
    GraphContribution,
    PairExplanation,
    PredictionExplanation,
)
from .splits import split_columns, split_kernels


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
        node_names=(first[0].node_names, second[0].node_names),
        combine=kernel.combine,
        mass=kernel.mass,
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
    model : FiltrationClassifier, FiltrationRegressor, Pipeline or search
        Fitted, or read by :func:`grafik.load`. Pipelines are those of a
        :class:`grafik.FiltrationKernel` and a machine with ``kernel="precomputed"``, or of a
        :class:`grafik.FiltrationEmbedding` and a linear model. Of a ``GridSearchCV`` the best
        estimator is explained.
    g : Graph, or one graph of any kind that :func:`grafik.as_graphs` takes
    toward : class, optional
        The class that positive contributions speak for. By default the second of two classes, so
        that the value is that of `decision_function`; of several classes, the predicted one.
    against : class, optional
        The class that negative contributions speak for. By default all others together: the value
        is then the sum of the decision values between `toward` and each of them, and for linear
        models, which have a decision value for each class, that of `toward`.
    max_depth, max_width : int
        As for :func:`explain_pair`.

    Returns
    -------
    PredictionExplanation
        With the features of `g`. In product kernels, features that only training graphs have count
        too; these are known by their hashes alone, as a model does not keep its training graphs. An
        embedding knows nothing of training graphs, so that there are only features.

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
    linear, batch = linear_model(model), _one(g, "g")
    toward, against, codes = _classes(linear.classes, model, batch, toward, against)
    coefficients, intercept = linear.decide(*codes)
    graph = batch
    for step in linear.before:
        graph = _one(step.transform(graph), "what comes before the kernel")
    if isinstance(linear.source, FiltrationEmbedding):
        value, found = split_columns(linear.source, graph, coefficients)
    else:
        value, found = split_kernels(linear, graph, coefficients)
    value += intercept
    if linear.own is not None:
        own = linear.own(batch, *codes)
        if not np.isclose(value, own, rtol=1e-6, atol=1e-6):
            raise TypeError(
                f"the model decides {own:.6g}, and not the sum over its columns, which is "
                f"{value:.6g}, so that its decision cannot be split"
            )
    side = ExplainedGraph(linear.source, graph, found.counted, found.known, (max_depth, max_width))
    parts = starmap(Part, found.parts.items())
    return PredictionExplanation(
        value=value,
        total=value,
        base=found.base + intercept,
        features=_sorted(contributions_of(parts, (side,))),
        alphas=linear.source.alphas_,
        barcodes=(side.bars,),
        n_nodes=(int(graph.node_ptr[-1]),),
        node_names=(graph[0].node_names,),
        intercept=intercept,
        toward=toward,
        against=against,
        graphs=tuple(sorted(found.graphs, key=_by_size)),
    )


@overload
def vertex_importance(
    explanation: PairExplanation | PredictionExplanation,
    graph: int = 0,
    *,
    named: Literal[False] = False,
) -> NDArray[np.float64]: ...
@overload
def vertex_importance(
    explanation: PairExplanation | PredictionExplanation, graph: int = 0, *, named: Literal[True]
) -> dict[Label, float]: ...
def vertex_importance(
    explanation: PairExplanation | PredictionExplanation, graph: int = 0, *, named: bool = False
) -> NDArray[np.float64] | dict[Label, float]:
    """Return how important each vertex is: its share of the contributions of features.

    The occurrences of a feature share its contribution in proportion to how long each of them
    lives. So the vertices of a graph add up to what all features that occur in it contribute. For
    sum kernels that is the kernel value itself, or the decision without its intercept.

    Parameters
    ----------
    explanation : PairExplanation or PredictionExplanation
    graph : int
        For a pair, 0 is the first graph and 1 the second.
    named : bool
        Whether to return a dict from the names of the vertices, or their numbers if they have no
        names, to their importance, the most important first.

    Returns
    -------
    ndarray of float64, shape (n_nodes,), or dict

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
    >>> vertex_importance(why, 1, named=True)
    {0: 2.0, 1: 2.0, 2: 1.0}
    """
    if not isinstance(explanation, (PairExplanation, PredictionExplanation)):
        raise TypeError(
            "vertex_importance takes an explanation of one graph or two, got a "
            f"{type(explanation).__name__}; write "
            "vertex_importance(explain_prediction(model, graph)) for a model, and "
            "vertex_importance(explain_pair(kernel, g, h)) for a kernel"
        )
    number = checked_integer("graph", graph, 0, len(explanation.barcodes) - 1)
    bars = explanation.barcodes[number]
    if bars is None:
        raise TypeError(
            "only features that sit at single vertices, as WeisfeilerLehman labels do, tell how "
            "important a vertex is"
        )
    found = shares(explanation.features, bars, explanation.n_nodes[number], number)
    return by_name(found, explanation.node_names[number]) if named else found


def _one(graph: Any, name: str) -> Graphs:
    batch = as_graphs(graph)
    if len(batch) != 1:
        raise ValueError(f"{name} must be one graph, got {len(batch)}")
    return batch


def _classes(
    names: NDArray[Any] | None, model: Any, graph: Graphs, toward: Any, against: Any
) -> tuple[Any, Any, tuple[int, int | None]]:
    """Return the class that is explained, the one against it or None, and their codes."""
    if names is None:
        if toward is not None or against is not None:
            raise ValueError("toward and against are for classifiers; leave them out")
        return None, None, (0, 0)
    classes = names.tolist()
    if toward is None and len(classes) == 2:
        toward = classes[1] if against is None or against == classes[0] else classes[0]
    elif toward is None:
        toward = model.predict(graph)[0]
    for name, value in (("toward", toward), ("against", against)):
        if value is not None and value not in classes:
            raise ValueError(f"{name} must be one of the classes {classes}, got {value!r}")
    if against is not None and against == toward:
        raise ValueError(f"toward and against must be two classes, got {toward!r} twice")
    code = classes.index(toward)
    if against is None and len(classes) == 2:
        against = classes[1 - code]
    if against is None:
        return classes[code], None, (code, None)
    other = classes.index(against)
    return classes[code], classes[other], (code, other)


def _sorted(found: Iterable[FeatureContribution]) -> tuple[FeatureContribution, ...]:
    """Return features by decreasing size of contribution; ties go to the simpler feature."""
    return tuple(sorted(found, key=lambda f: (*_by_size(f), f.depth, f.name, f.feature)))


def _by_size(found: FeatureContribution | GraphContribution) -> tuple[float]:
    return (-abs(found.contribution),)
