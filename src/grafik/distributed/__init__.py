"""The same blocks on the workers of a Dask cluster: Gram matrices, embeddings, evaluations.

Everything here runs the functions of one machine on an existing :class:`dask.distributed.Client`,
and gives the same bits. Workers that die or join on the way change only the time that it takes.
"""

from .dask import checked_client, connected, results_on
from .evaluation import units_on
from .gram import gram_array, gram_on, transform_array, write_gram_on
from .vectors import parts_on, transform

__all__ = [
    "checked_client",
    "connected",
    "gram_array",
    "gram_on",
    "parts_on",
    "results_on",
    "transform",
    "transform_array",
    "units_on",
    "write_gram_on",
]
