"""What kernels that are made of other kernels share."""

from __future__ import annotations

import copy
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..graphs.as_graphs import as_graphs, as_training_graphs
from ..graphs.batch import Graphs
from ..system.memory import refuse_large_gram
from .combined_gram import Compared, KernelOnGraphs, Sides, WholeGraphs
from .kernel import MEMORY, FiltrationKernel
from .kernel_transformer import KernelTransformer
from .sharing import count_together, learn_together

_NEEDED = ("fit", "transform", "diagonal")


class CombinedKernel(KernelTransformer, ABC):
    """A kernel made of parts, which are kernels themselves.

    Parts are normalised, whatever their parameter `normalize` says. What they share is done once:
    graphs are converted once, each weight is computed once, and features are counted once for all
    parts that count the same.
    """

    # Self-similarities of training graphs, for parts that do not keep them.
    _own: dict[str, NDArray[np.float64]]

    @abstractmethod
    def _named(self) -> list[tuple[str, Any]]:
        """Return the parts, which are not fitted, with their names; check them."""

    @abstractmethod
    def _take(self, fitted: list[tuple[str, Any]]) -> None:
        """Keep fitted parts."""

    @abstractmethod
    def _kept(self) -> list[tuple[str, Any]]:
        """Return the fitted parts, with their names."""

    @abstractmethod
    def _compared(self, parts: tuple[Compared, ...]) -> Any:
        """Return what compares graphs, made of the same for each part; check parameters."""

    def fit(self, X: Any, y: object = None) -> Any:
        """Fit all parts to the training graphs.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored

        Returns
        -------
        CombinedKernel
            Itself.
        """
        return self._take_over(self._fitted_anew(X))

    def remember(self, graphs: Graphs) -> None:
        """Keep what parts of other libraries do not keep of the graphs they were fitted to."""
        self._own = {}
        self._remember(self._training_sides(graphs))

    def fit_transform(self, X: Any, y: object = None, client: Any = None) -> NDArray[np.float64]:
        """Fit, and return the Gram matrix of the training graphs.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        y : ignored
        client : dask.distributed.Client, optional
            Let the workers of a cluster do the work; the result is the same.

        Returns
        -------
        ndarray of shape (n_graphs, n_graphs)
            Symmetric to the bit, and positive semi-definite if all parts are.
        """
        if client is not None:
            from ..distributed import gram_on

            fresh = self._fitted_anew(X, "client=")
            x = fresh.histograms_
            gram: NDArray[np.float64] = gram_on(client, fresh.on_parts(), x, x)
        else:
            fresh, batch = self._begin(X)
            x, node = fresh._training_sides(batch), fresh.on_parts()
            refuse_large_gram(len(batch), len(batch), node.n_matrices)
            gram = node.gram(x, x)
            fresh._remember(x)
        self._take_over(fresh)
        return gram

    def transform(self, X: Any, client: Any = None) -> NDArray[np.float64]:
        """Return the kernel of new graphs with all training graphs.

        Parameters
        ----------
        X : Graphs, or whatever :func:`grafik.as_graphs` takes
        client : dask.distributed.Client, optional
            As for :meth:`fit_transform`.

        Returns
        -------
        ndarray of shape (n_new_graphs, n_training_graphs)
        """
        check_is_fitted(self)
        if client is not None:
            from ..distributed import gram_on

            node = self.on_histograms("client=")
            return gram_on(client, node, self.count(X), self.histograms_)
        node, x, y = self.on_parts(), self.count(X), self.histograms_
        refuse_large_gram(len(x), len(y), node.n_matrices)
        gram: NDArray[np.float64] = node.gram(x, y)
        return gram

    def gram_to(
        self,
        path: str | os.PathLike[str],
        graphs: Any,
        *,
        memory: float = MEMORY,
        client: Any = None,
        progress: bool | None = None,
    ) -> np.memmap[Any, Any]:
        """Fit, and write the Gram matrix of the training graphs to a file, block by block.

        It has the same bits as that of :meth:`fit_transform`. Parts must count features.

        Parameters
        ----------
        path, graphs, memory, client, progress
            As for :meth:`grafik.FiltrationKernel.gram_to`.

        Returns
        -------
        memmap of shape (n_graphs, n_graphs)
            The file, mapped into memory, read-only.

        Examples
        --------
        >>> import tempfile
        >>> from grafik import MeanKernel, datasets
        >>> graphs, y = datasets.csl(copies=1)
        >>> kernel = MeanKernel("degree+triangles")
        >>> K = kernel.gram_to(tempfile.mkdtemp() + "/K.npy", graphs)
        >>> (K == kernel.fit_transform(graphs)).all()
        np.True_
        """
        from ..distributed import write_gram_on
        from ..large.gram_file import checked_target

        checked_target(path)
        fresh = self._fitted_anew(graphs, "gram_to")
        x, how = fresh.histograms_, {"memory": memory, "progress": progress}
        written = write_gram_on(client, path, fresh.on_parts(), x, x, **how)
        self._take_over(fresh)
        return written

    def transform_to(
        self,
        path: str | os.PathLike[str],
        graphs: Any,
        *,
        memory: float = MEMORY,
        client: Any = None,
        progress: bool | None = None,
    ) -> np.memmap[Any, Any]:
        """Write the kernel of new graphs with all training graphs to a file, block by block.

        Parameters
        ----------
        path, graphs, memory, client, progress
            As for :meth:`gram_to`.

        Returns
        -------
        memmap of shape (n_new_graphs, n_training_graphs)
            The same bits as those of :meth:`transform`.
        """
        from ..distributed import write_gram_on

        node, how = self.on_histograms("transform_to"), {"memory": memory, "progress": progress}
        return write_gram_on(client, path, node, self.count(graphs), self.histograms_, **how)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted kernel to a file, to be read by :func:`grafik.load`.

        Parts must count features.

        Parameters
        ----------
        path : path of the file; an existing file is replaced
        """
        from ..models.saving import save

        check_is_fitted(self)
        save(self, path)

    def diagonal(self, graphs: Any) -> NDArray[np.float64]:
        """Return the kernel of each new graph with itself.

        Returns
        -------
        ndarray of shape (n_new_graphs,)
        """
        check_is_fitted(self)
        found: NDArray[np.float64] = self.on_parts().self_similarities(self.count(graphs))
        return found

    def training_diagonal(self) -> NDArray[np.float64]:
        """Return the kernel of each training graph with itself; for kernels made of this one."""
        check_is_fitted(self)
        found: NDArray[np.float64] = self.on_parts().self_similarities(self.histograms_)
        return found

    def count(self, graphs: Any) -> Sides:
        """Return what parts know of new graphs, histograms for most; for code that builds on it."""
        check_is_fitted(self)
        batch = as_graphs(graphs)
        leaves = list(self._filtrations())
        counted = zip(map(id, leaves), count_together(leaves, batch), strict=True)
        return self._sides(dict(counted), WholeGraphs(batch))

    @property
    def histograms_(self) -> Sides:
        """What parts know of the training graphs, histograms for most."""
        check_is_fitted(self)
        return self._sides({id(one): one.histograms_ for one in self._filtrations()}, None)

    @property
    def labelling_(self) -> Any:
        """How the training graphs were labelled, as the first part that knows it remembers it."""
        check_is_fitted(self)
        for _, part in self._leaves():
            if hasattr(part, "labelling_"):
                return part.labelling_
        raise AttributeError("no part remembers how the training graphs were labelled")

    def on_histograms(self, what: str = "this") -> Any:
        """Return what compares histograms; for code that builds on the kernel.

        Parameters
        ----------
        what : str
            What is to be done; it is refused, by this name, if a part does not count features.
        """
        check_is_fitted(self)
        self._refuse_others(what)
        return self.on_parts()

    # A call that fails leaves a fitted kernel as it was: all work is done by a copy.

    def _fitted_anew(self, X: Any, what: str | None = None) -> Any:
        """Return a copy that is fitted; if `what` is to be done, all parts must count features."""
        fresh, batch = self._begin(X, what)
        for kernel in fresh._others():
            kernel.fit(batch)
        fresh.remember(batch)
        return fresh

    def _begin(self, X: Any, what: str | None = None) -> tuple[Any, Graphs]:
        """Return a copy with new parts, of which those that count features are fitted."""
        batch, fresh = as_training_graphs(X), self._grown(None)
        if what is not None:
            fresh._refuse_others(what)
        learn_together(fresh._filtrations(), batch)
        return fresh, batch

    def _take_over(self, fresh: CombinedKernel) -> Any:
        """Become as a copy that is fitted."""
        self._take(fresh._kept())
        self._own = fresh._own
        return self

    def _grown(self, n_jobs: int | None) -> Any:
        """Check parameters, and return a copy with parts that can be fitted, also within parts."""
        own = getattr(self, "n_jobs", None)
        threads = n_jobs if own is None else own
        grown = []
        named = self._named()
        checked = tuple(KernelOnGraphs(part, True, name) for name, part in named)
        self._compared(checked)  # checks parameters
        for name, part in named:
            twin = clone(part)
            if isinstance(twin, KernelTransformer):
                known = twin.get_params(deep=False)
                if "normalize" in known:
                    twin.set_params(normalize=True)
                if "n_jobs" in known and known["n_jobs"] is None:
                    twin.set_params(n_jobs=threads)
            grown.append((name, twin._grown(threads) if isinstance(twin, CombinedKernel) else twin))
        return self._with_parts(grown)

    def _with_parts(self, parts: list[tuple[str, Any]]) -> Any:
        """Return a copy with other parts, of whose training graphs nothing is known yet."""
        twin = copy.copy(self)
        twin._own = {}
        twin._take(parts)
        return twin

    def _leaves(self) -> Iterator[tuple[str, Any]]:
        """Yield all fitted kernels that are not combined, with their names, also within parts."""
        for name, part in self._kept():
            if isinstance(part, CombinedKernel):
                yield from part._leaves()
            else:
                yield name, part

    def _filtrations(self) -> Iterator[FiltrationKernel]:
        """Yield all kernels that count features."""
        return (part for _, part in self._leaves() if isinstance(part, FiltrationKernel))

    def _others(self) -> Iterator[Any]:
        """Yield all kernels that take whole graphs."""
        return (part for _, part in self._leaves() if not isinstance(part, FiltrationKernel))

    def counts_features(self) -> bool:
        """Whether all parts count features; then the kernel can do what these can."""
        return next(self._others(), None) is None

    def _refuse_others(self, what: str) -> None:
        """Refuse what only parts that count features can do, and name the part that cannot."""
        for name, part in self._leaves():
            if not isinstance(part, FiltrationKernel):
                raise TypeError(
                    f"part {name!r} has no {what}: {type(part).__name__} compares whole graphs and "
                    "counts no features; leave this part out, or use fit_transform and transform "
                    "on one machine"
                )

    def on_parts(self) -> Any:
        """Return what compares graphs, also whole ones; for code that builds on the kernel."""
        return self._compared(tuple(_compared(name, part) for name, part in self._kept()))

    def _sides(self, counted: dict[int, Any], whole: WholeGraphs | None) -> Sides:
        """Return what each part knows; without `whole`, of the training graphs."""
        found: list[Any] = []
        for name, part in self._kept():
            if isinstance(part, CombinedKernel):
                found.append(part._sides(counted, whole))
            elif isinstance(part, FiltrationKernel):
                found.append(counted[id(part)])
            elif whole is not None:
                found.append(WholeGraphs(whole.graphs))
            elif hasattr(part, "training_diagonal"):
                found.append(WholeGraphs(None, part.training_diagonal()))
            else:
                found.append(WholeGraphs(None, self._own[name]))
        return Sides(found)

    def _training_sides(self, batch: Graphs) -> Sides:
        return self._sides(
            {id(one): one.histograms_ for one in self._filtrations()}, WholeGraphs(batch)
        )

    def _remember(self, x: Sides) -> None:
        """Keep the self-similarities that parts of other libraries do not keep themselves."""
        for (name, part), side in zip(self._kept(), x.parts, strict=True):
            if isinstance(part, CombinedKernel):
                part._remember(side)
            elif isinstance(side, WholeGraphs) and not hasattr(part, "training_diagonal"):
                self._own[name] = KernelOnGraphs(part, False, name).self_similarities(side)

    def _learned(self, fitted: Sequence[tuple[str, Any]]) -> Any:
        """Return a fitted copy of the kernel with these parts."""
        twin = clone(self)
        for name, part in fitted:
            check_is_fitted(part)
            if not isinstance(part, FiltrationKernel) and not hasattr(part, "training_diagonal"):
                raise TypeError(
                    f"part {name!r} was fitted elsewhere, and {type(part).__name__} does not keep "
                    "what is needed of its training graphs; fit the whole kernel instead"
                )
        sizes = [_n_graphs(part) for _, part in fitted]
        if min(sizes) != max(sizes):
            raise ValueError(f"the parts were fitted to different numbers of graphs: {sizes}")
        twin._take(list(fitted))
        twin._own = {}
        return twin


def check_part(name: str, part: Any) -> None:
    """Refuse what is no kernel, and say what to pass instead."""
    if isinstance(part, str):
        raise TypeError(
            f"{name} is the text {part!r}, which is no kernel; weights that belong together are "
            "one text, as in MeanKernel.of_weights('degree+curvature'); a list of weights is for "
            "FiltrationClassifier, which chooses one of them"
        )
    if isinstance(part, type):
        raise TypeError(f"{name} is the class {part.__name__}; pass a kernel: {part.__name__}()")
    missing = [method for method in _NEEDED if not hasattr(part, method)]
    if missing:
        raise TypeError(
            f"{name} must be a kernel with the methods {', '.join(_NEEDED)}, but "
            f"{type(part).__name__} has no {missing[0]}"
        )
    if not hasattr(part, "get_params"):
        raise TypeError(
            f"{name} cannot be copied, because {type(part).__name__} has no get_params; derive it "
            "from sklearn.base.BaseEstimator"
        )


def _n_graphs(part: Any) -> int:
    """Return the number of training graphs of a fitted part."""
    if hasattr(part, "histograms_"):
        return len(part.histograms_)
    return len(part.training_diagonal())


def _compared(name: str, part: Any) -> Compared:
    """Return what compares the graphs of a fitted part; it is normalised if it can be."""
    if isinstance(part, CombinedKernel):
        return part.on_parts()  # type: ignore[no-any-return]
    if isinstance(part, FiltrationKernel):
        return part.on_histograms().normalised()
    ours = isinstance(part, KernelTransformer)
    return KernelOnGraphs(part, ours and getattr(part, "normalize", False) is True, name)
