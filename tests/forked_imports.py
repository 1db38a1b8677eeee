"""What is there already in processes that are forked: modules, and loops that are compiled."""

import grafik.cli  # noqa: F401
from grafik import FiltrationKernel, datasets
from grafik.evaluation import PROTOCOLS, evaluate

graphs, y = datasets.csl(skips=(2, 3), copies=6)
FiltrationKernel().fit_transform(graphs)
evaluate(["wl", "fwl-triangles"], graphs, y, protocol=PROTOCOLS["quick"].with_values(n_splits=2))
