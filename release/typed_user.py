"""A user's program, which mypy checks with the types of an installed grafik."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import grafik
from grafik import FiltrationClassifier, FiltrationKernel, Graph, Graphs, as_graphs, datasets

graphs = as_graphs([[(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]])
assert_type(graphs, Graphs)
assert_type(graphs[0], Graph)
assert_type(graphs[:1], Graphs)

kernel = FiltrationKernel(weight="degree", n_levels=3)
assert_type(kernel.fit(graphs), FiltrationKernel)
gram: NDArray[np.float64] = kernel.fit_transform(graphs)

made, y = datasets.csl(copies=2)
model = FiltrationClassifier(effort="quick").fit(made, y)
assert_type(model, FiltrationClassifier)
model.save("csl.model")
found = grafik.load("csl.model")
version: str = grafik.__version__

index = grafik.GraphIndex(kernel).add(graphs)
why = grafik.explain_pair(kernel, graphs[0], graphs[1])
assert_type(why.value, float)

# What is wrong is reported: an ignored line without a mistake would be one itself (--strict).
FiltrationKernel(levels=3)  # type: ignore[call-arg]
FiltrationKernel(n_levels="three")  # type: ignore[arg-type]
datasets.csl(copies="two")  # type: ignore[arg-type]
kernel.fit_transform()  # type: ignore[call-arg]
model.save()  # type: ignore[call-arg]
text: str = graphs[0]  # type: ignore[assignment]
grafik.nothing  # type: ignore[attr-defined]  # noqa: B018
why.values  # type: ignore[attr-defined]  # noqa: B018
