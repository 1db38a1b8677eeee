"""GraphIndex: the most similar of many graphs."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..arrays.checks import checked_bool, checked_integer, checked_number
from ..features.histograms import Histograms
from ..graphs.as_graphs import as_graphs
from ..graphs.batch import Graphs
from ..graphs.labels import Label
from ..kernels.gram import KernelOnHistograms
from ..kernels.kernel import FiltrationKernel
from ..kernels.kernel_transformer import KernelTransformer
from ..system.memory import memory_for, refuse_what_does_not_fit
from ..system.threads import new_flag, run_blocks
from .compared import ComparedIndex, joined, with_labels_of
from .inverted_index import Found, InvertedIndex, Queries
from .loops import search_all, search_listed
from .sketches import promising, sketches

# An approximate search looks closely at this many times as many graphs as are wanted.
_CANDIDATES = 20
_BLOCK, _NS = 1e9, 10.0  # nanoseconds: of a block, and of a feature of a query and of a graph


class Matches(NamedTuple):
    """The graphs that a search has found.

    There is a row for each query, as long as the longest needs. Where fewer graphs are similar
    enough (`min_similarity`), a row ends with the number of graphs in the index, which no graph
    has, and with similarities that are not a number.

    Attributes
    ----------
    graphs : ndarray of int64, shape (n_queries, n_found)
        The most similar graphs, by their numbers in the order in which they were added, the best
        first. Ties go to the graph that was added first.
    similarities : ndarray of float64, shape (n_queries, n_found)
        Their kernels with the query.
    touched : ndarray of float64, shape (n_queries,)
        Which part of the index was looked at: the share of all pairs of a graph and a feature that
        it has.
    counts : ndarray of int64, shape (n_queries,)
        How many graphs were found for each query: its row begins with so many.
    ids : ndarray of object, shape (n_queries, n_found), or None
        Their ids, if they were added with ids; None at the end of a row that is not full.
    """

    graphs: NDArray[np.int64]
    similarities: NDArray[np.float64]
    touched: NDArray[np.float64]
    counts: NDArray[np.int64]
    ids: NDArray[Any] | None


class GraphIndex:
    r"""Finds the graphs that are most similar to a query, by a filtration kernel or another.

    This is an inverted index: for each feature, it lists the graphs that have it. A query looks
    only at its own features, and stops as soon as the best graphs are known for sure. That is so
    for a filtration kernel. By a mean, a Gaussian or a baseline, a query is compared with all
    graphs.

    Parameters
    ----------
    kernel : FiltrationKernel, MeanKernel, GaussianKernel or a baseline, optional
        A filtration kernel must be a sum. If the kernel is fitted, its thresholds are used; else
        they are learned from the graphs that are added first. The kernel itself is not changed, and
        its training graphs are not part of the index.

    Attributes
    ----------
    kernel_ : kernel
        With the thresholds that were learned.

    Examples
    --------
    >>> from grafik import FiltrationKernel, GraphIndex, datasets
    >>> graphs, y = datasets.csl()
    >>> index = GraphIndex(FiltrationKernel(weight="walks", normalize=True)).add(graphs)
    >>> index
    GraphIndex(100 graphs, FiltrationKernel(normalize=True, weight='walks'))
    >>> found = index.search(graphs[17], top=3)
    >>> found.graphs
    array([[10, 11, 12]])
    >>> y[found.graphs] == y[17]
    array([[ True,  True,  True]])
    >>> found.similarities
    array([[1., 1., 1.]])

    Graphs that were added with ids are found by them, here all that are equal to graph 17:

    >>> named = graphs.with_ids([f"skip {skip}, copy {i % 10}" for i, skip in enumerate(y)])
    >>> index = GraphIndex(FiltrationKernel(weight="walks", normalize=True)).add(named)
    >>> found = index.search(graphs[[17, 0]], min_similarity=0.95, top=4)
    >>> found.ids[0].tolist()
    ['skip 3, copy 0', 'skip 3, copy 1', 'skip 3, copy 2', 'skip 3, copy 3']
    """

    def __init__(self, kernel: Any = None) -> None:
        kernel = FiltrationKernel() if kernel is None else kernel
        self._ids: list[Label] | None = None
        self._compared: ComparedIndex | None = None
        if not isinstance(kernel, FiltrationKernel):
            if not isinstance(kernel, KernelTransformer):
                raise TypeError(
                    "kernel must be a FiltrationKernel, MeanKernel, GaussianKernel or a kernel of "
                    f"grafik.baselines, got {kernel!r}"
                )
            self._compared = ComparedIndex(kernel)
            return
        KernelOnHistograms.of(kernel)  # checks parameters
        if kernel.combine != "sum":
            raise ValueError(
                "kernel must be a sum, got combine='product', by which graphs are similar also for "
                "what both of them lack"
            )
        self._own_kernel: FiltrationKernel = clone(kernel)
        self._parts: list[Histograms] = []
        self._index: InvertedIndex | None = None
        self._sketches: NDArray[np.uint64] | None = None
        if hasattr(kernel, "filtration_"):
            self._learn(kernel)

    @property
    def kernel_(self) -> Any:
        """The kernel, with thresholds as soon as graphs were added."""
        return self._own_kernel if self._compared is None else self._compared.kernel

    def _learn(self, kernel: FiltrationKernel) -> None:
        """Take over the thresholds of a fitted kernel."""
        self._own_kernel = kernel.learned(kernel.counter(), _without_graphs(kernel.histograms_))

    def add(self, graphs: Any) -> GraphIndex:
        """Add graphs; they get the next numbers.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
            If they have ids (:meth:`Graphs.with_ids`), searches give them back. Either all graphs
            of an index have ids or none has.

        Returns
        -------
        GraphIndex
            Itself.
        """
        batch = as_graphs(graphs)
        self._check_ids(batch)
        if self._compared is not None:
            self._compared.add(batch)
            self._add_ids(batch)
            return self
        if hasattr(self.kernel_, "filtration_"):
            kernel = with_labels_of(self.kernel_, batch)
            counted, self._own_kernel = kernel.count(batch), kernel
        else:
            fitted = clone(self.kernel_).fit(batch)
            self._learn(fitted)
            counted = fitted.histograms_
        if counted.dictionary:  # of exact labels, which graphs added later must share
            self.kernel_.histograms_ = _without_graphs(counted)
        self._add_ids(batch)
        self._parts.append(counted)
        self._index = self._sketches = None
        return self

    def _add_ids(self, batch: Graphs) -> None:
        if len(batch) and batch.ids is not None:
            self._ids = [] if self._ids is None else self._ids
            self._ids.extend(batch.ids)

    def _check_ids(self, batch: Graphs) -> None:
        """Refuse graphs with ids beside graphs without."""
        if not len(self) or not len(batch) or (self._ids is None) == (batch.ids is None):
            return
        if self._ids is None:
            raise ValueError(
                "the graphs have ids, but those in the index have none; take the ids away: "
                "as_graphs(graphs, ids=None)"
            )
        raise ValueError(
            "the graphs have no ids, but those in the index have; give an id to each: "
            "as_graphs(graphs, ids=[...])"
        )

    def __len__(self) -> int:
        if self._compared is not None:
            return len(self._compared)
        return sum(len(part) for part in self._parts)

    @memory_for("searching", "ask for fewer graphs at a time")
    def search(
        self,
        graphs: Any,
        top: int = 10,
        *,
        min_similarity: float = 0.0,
        approximate: bool = False,
    ) -> Matches:
        """Find the graphs that are most similar to each query.

        Parameters
        ----------
        graphs : Graphs, or whatever :func:`grafik.as_graphs` takes
            One or several queries.
        top : int
            How many to find at most; fewer if the index has fewer.
        min_similarity : float
            Find only graphs that are at least so similar. Similarities are at most 1 if the kernel
            is normalised; else they grow with the graphs.
        approximate : bool
            Whether to look closely only at those graphs whose sketches, of 64 bytes each, are most
            similar to that of the query. The similarities are exact, but graphs may be missed.

        Returns
        -------
        Matches
            If not approximate, the greatest entries of ``kernel.transform(query)``, to the bit.
        """
        checked_integer("top", top, 1)
        least = self._checked_similarity(min_similarity)
        if not len(self):
            raise ValueError("the index is empty; add graphs first")
        if self._compared is not None:
            if checked_bool("approximate", approximate):
                raise ValueError(
                    "approximate=True needs a FiltrationKernel, but the index has a "
                    f"{type(self.kernel_).__name__}; leave it out"
                )
            batch = as_graphs(graphs)
            found = self._nothing_yet(len(batch), top, least)
            for block, best, similarities in self._compared.best(batch, found.graphs.shape[1]):
                fine = similarities >= least
                found.graphs[block] = np.where(fine, best, len(self))
                found.similarities[block] = np.where(fine, similarities, np.nan)
                found.counts[block] = fine.sum(axis=1)
            found.touched[:] = 1.0
            return self._matches(found)
        counted = self.kernel_.count(graphs)
        n, n_jobs = len(counted), self.kernel_.n_jobs
        found = self._nothing_yet(n, top, least)
        n_found = found.graphs.shape[1]
        queries = Queries.of(counted, self.kernel_.on_histograms())
        how: tuple[Any, ...] = queries, self._indexed()
        loop: Any = search_all
        if checked_bool("approximate", approximate):
            loop, how = search_listed, (*how, self._candidates(counted, _CANDIDATES * n_found))

        def run(start: int, stop: int) -> None:
            loop(start, stop, *how, found)

        # In short blocks, so that an interrupt does not wait for long. Every graph of the index may
        # have every feature of a query.
        cost = (counted.graph_ptr + np.arange(n + 1)) * len(self)
        size = int(_BLOCK / _NS)
        run_blocks(run, cost, n_jobs, ns_per_unit=_NS, max_units=size, flag=new_flag())
        return self._matches(found)

    def _nothing_yet(self, n: int, top: int, least: float) -> Found:
        """Return room for what `n` queries may find."""
        n_found = min(top, len(self))
        refuse_what_does_not_fit(
            16.0 * n * n_found,
            f"the answer to {n} queries with the {n_found} best graphs for each",
            "find fewer graphs (top) or ask fewer queries at a time",
        )
        return Found(
            np.full((n, n_found), len(self), np.int64),
            np.full((n, n_found), np.nan),
            np.zeros(n),
            np.zeros(n, np.int64),
            least,
        )

    def _checked_similarity(self, least: Any) -> float:
        """Return a similarity that graphs can have."""
        checked_number("min_similarity", least, 0.0)
        if getattr(self.kernel_, "normalize", True) and least > 1:
            raise ValueError(
                f"min_similarity must be at most 1 for a normalised kernel, got {least!r}"
            )
        return float(least)

    def _matches(self, found: Found) -> Matches:
        """Return what was found, without columns that no query needs, and with ids."""
        width = int(found.counts.max(initial=0)) if len(found.counts) else found.graphs.shape[1]
        graphs, ids = np.ascontiguousarray(found.graphs[:, :width]), None
        if self._ids is not None:
            known = [*self._ids, None]
            named = (known[graph] for graph in graphs.ravel().tolist())
            ids = np.fromiter(named, object, graphs.size).reshape(graphs.shape)
        similarities = np.ascontiguousarray(found.similarities[:, :width])
        return Matches(graphs, similarities, found.touched, found.counts, ids)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file, to be read by :func:`grafik.load`.

        Parameters
        ----------
        path : path of the file; an existing file is replaced

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import grafik
        >>> graphs, y = grafik.datasets.csl(copies=1)
        >>> kernel = grafik.FiltrationKernel(weight="walks", thresholds="distinct", normalize=True)
        >>> index = grafik.GraphIndex(kernel).add(graphs)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "index.grafik"
        >>> index.save(path)
        >>> grafik.load(path).search(graphs[3], top=1).graphs
        array([[3]])
        """
        from ..models.saving import save

        if not len(self):
            raise ValueError("the index is empty; add graphs first")
        save(self, path)

    def __repr__(self) -> str:
        n = len(self)
        ids = "" if self._ids is None else " with ids"
        kernel = " ".join(repr(self.kernel_).split())  # long ones have several lines
        return f"GraphIndex({n} graph{'' if n == 1 else 's'}{ids}, {kernel})"

    def _repr_html_(self) -> str:
        from ..plots.notebook import index_html

        return index_html(self)

    @classmethod
    def _of(cls, kernel: Any, ids: list[Label] | None) -> GraphIndex:
        """Make an index of the training graphs of a fitted kernel."""
        index = cls(kernel)
        index._ids = ids
        if index._compared is not None:
            index._compared.take(kernel.histograms_)
        else:
            index._parts = [kernel.histograms_]
        return index

    def _fitted(self) -> Any:
        """Return the kernel as if it were fitted on all graphs of the index."""
        if self._compared is not None:
            return self._compared.fitted()
        return self.kernel_.learned(self.kernel_.counter(), self._together())

    def _together(self) -> Histograms:
        """Return the histograms of all graphs, joined if they came in parts."""
        whole: Histograms = joined(self._parts)
        self._parts = [whole]
        return whole

    def _indexed(self) -> InvertedIndex:
        if self._index is None:
            self._index = InvertedIndex.of(self._together(), self.kernel_.on_histograms())
        return self._index

    def _candidates(self, counted: Histograms, n_listed: int) -> NDArray[np.int64]:
        """Return for each query the graphs to look at closely."""
        kernel = self.kernel_.on_histograms()
        if self._sketches is None:
            self._sketches = sketches(self._together(), kernel)
        norms = 1.0 if self.kernel_.normalize else np.sqrt(self._indexed().own)
        return promising(sketches(counted, kernel), self._sketches, norms, min(n_listed, len(self)))


def _without_graphs(histograms: Histograms) -> Histograms:
    """Return histograms of no graphs, with the names of features and the dictionary of labels."""
    nothing = histograms.up_to(-1)
    columns = nothing.columns._replace(graph_ptr=nothing.graph_ptr[:1])
    return Histograms(nothing.n_levels, *columns, nothing.names, nothing.dictionary)
