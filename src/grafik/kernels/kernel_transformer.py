"""What all kernels share as transformers from graphs to rows of a Gram matrix."""

from __future__ import annotations

from typing import Any

from sklearn.base import TransformerMixin

from ..graphs.takes_graphs import TakesGraphs


class KernelTransformer(TransformerMixin, TakesGraphs):
    """A transformer whose output has one column for each training graph."""

    def set_output(self, *, transform: str | None = None) -> Any:
        """Refuse data frames, because columns are training graphs and have no names.

        Parameters
        ----------
        transform : {"default", None}

        Returns
        -------
        KernelTransformer
            Itself.

        Examples
        --------
        >>> from grafik import FiltrationKernel
        >>> FiltrationKernel().set_output(transform="default")
        FiltrationKernel()
        """
        if transform not in (None, "default"):
            raise ValueError(
                f"{type(self).__name__} gives a matrix with one column for each training graph, "
                f"without names, and no {transform} frame. For columns with names, use "
                "FiltrationEmbedding; for a frame of the kernel, put the matrix into "
                "pandas.DataFrame"
            )
        return self
