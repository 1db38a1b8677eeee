"""Why two graphs are similar, and why a model predicts what it does: exact contributions."""

from __future__ import annotations

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
from ..kernels.combined import CombinedKernel
from ..kernels.kernel import FiltrationKernel
from ..kernels.kernel_transformer import KernelTransformer
from .combined import CombinedSplit, split_combined
from .contributed import FeatureContribution, PartContribution
from .graph import ExplainedGraph, Part, contributions_of
from .importance import by_name
from .linear_models import linear_model
from .pairs import Pair, by_size, explained, in_part, size
from .results import PairExplanation, PredictionExplanation
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
    kernel : FiltrationKernel, MeanKernel or GaussianKernel
        Fitted or not. If it is not fitted, it stays so; thresholds are learned from the two graphs,
        and `fitted` of the result is False. A mean is split into its parts, and these into their
        features. Of a Gaussian, the similarity within is explained.
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
    if not isinstance(kernel, (FiltrationKernel, CombinedKernel)):
        model = not isinstance(kernel, KernelTransformer) and hasattr(kernel, "kernel_")
        hint = "; for a model take model.kernel_" if model else ""
        raise TypeError(
            "kernel must be a FiltrationKernel, MeanKernel or GaussianKernel, got a "
            f"{type(kernel).__name__}{hint}"
        )
    first, second = _one(g, "g"), _one(h, "h")
    fitted = hasattr(kernel, "histograms_")
    if not fitted:
        kernel = clone(kernel).fit(Graphs.concat([first, second]))
    return explained(kernel, Pair(first, second, fitted, (max_depth, max_width)))


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

    A mean of kernels is a sum of its parts, and so of their features. A Gaussian
    :math:`G = e^{-\sigma (1 - K)}` is no such sum. It is replaced by its tangent: a feature that
    contributes `x` to the similarity `K` with a support vector counts :math:`c_s \sigma G x`. What
    the tangent leaves out is shown as `remainder`.

    Parameters
    ----------
    model : FiltrationClassifier, FiltrationRegressor, Pipeline or search
        Fitted, or read by :func:`grafik.load`. Pipelines are those of a
        :class:`grafik.FiltrationKernel`, :class:`grafik.MeanKernel` or
        :class:`grafik.GaussianKernel` and a machine with ``kernel="precomputed"``, or of a
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
    found: Any
    if isinstance(linear.source, CombinedKernel):
        value, found = split_combined(linear, graph, coefficients)
    elif isinstance(linear.source, FiltrationEmbedding):
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
    shown = max_depth, max_width
    told = {
        "value": value,
        "total": value,
        "n_nodes": (int(graph.node_ptr[-1]),),
        "node_names": (graph[0].node_names,),
        "intercept": intercept,
        "toward": toward,
        "against": against,
        "graphs": tuple(sorted(found.graphs, key=size)),
    }
    if isinstance(linear.source, CombinedKernel):
        return _of_parts(found, graph, shown, told)
    side = ExplainedGraph(linear.source, graph, found.counted, found.known, shown)
    return PredictionExplanation(
        base=found.base + intercept,
        features=by_size(contributions_of(starmap(Part, found.parts.items()), (side,))),
        alphas=linear.source.alphas_,
        barcodes=(side.bars,),
        **told,
    )


def _of_parts(
    split: CombinedSplit, graph: Graphs, shown: tuple[int, int], told: dict[str, Any]
) -> PredictionExplanation:
    """Put together what the parts of a combined kernel contribute."""
    parts, features, base = list[PartContribution](), list[FeatureContribution](), 0.0
    alone = {**told, "alphas": np.empty(0), "graphs": (), "intercept": 0.0}
    for part in split.parts:
        contribution, found = part.base + sum(part.features.values()), None
        if part.counted is not None:
            side = ExplainedGraph(part.kernel, graph, part.counted, part.known, shown)
            own = contributions_of(starmap(Part, part.features.items()), (side,))
            features.extend(in_part(own, part.name, 1.0))
            alone |= {"value": contribution, "total": contribution, "alphas": part.kernel.alphas_}
            found = PredictionExplanation(
                base=part.base, features=by_size(own), barcodes=(side.bars,), **alone
            )
        base += part.base
        scale = 0.0 if found is None else 1.0
        parts.append(PartContribution(part.name, part.weight, None, contribution, scale, found))
    return PredictionExplanation(
        base=base + told["intercept"],
        features=by_size(features),
        alphas=np.empty(0),
        barcodes=(None,),
        parts=tuple(parts),
        linearised=split.linearised,
        remainder=split.remainder,
        **told,
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
    found = explanation.vertex_shares(number)
    if found is None:
        raise TypeError(
            "only features that sit at single vertices, as WeisfeilerLehman labels do, tell how "
            "important a vertex is"
        )
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
