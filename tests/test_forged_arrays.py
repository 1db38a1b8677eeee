"""Arrays of extreme integers, sent through every way into the compiled loops: none crashes.

Each way runs in a process of its own, as what is to be shown is that this process survives.
"""

import pytest

from forked import Forked

BEGIN = """
import itertools, pickle, sys
import numpy as np
import grafik
from grafik import Histograms, Graphs, FiltrationKernel, datasets
from grafik.graphs.labels import Labels

third = 2**64 // 3
POINTERS = [
    [0, third, 2 * third - 2**64, 3], [0, 2**63 - 1, 2, 3], [0, -(2**63), 2, 3], [0, 1, 2**62, 3],
    [0, 2**31, 2**32, 3], [0, 1, -1, 3], [-(2**63), 1, 2, 3], [0, 1, 2, 2**63 - 1], [3, 2, 1, 0],
    [0, 1, 2, 2],
]
NUMBERS = [2**31 - 1, -(2**31), 2**31, 2**32, 2**62, 2**63 - 1, -(2**63), -1]
refused = 0

def attempt(action):
    global refused
    try:
        action()
    except (ValueError, OverflowError, MemoryError):
        refused += 1
"""

HISTOGRAMS = """
GOOD = dict(graph_ptr=[0, 1, 2, 3], depths=[0] * 3, features=[1, 2, 3], run_ptr=[0, 1, 2, 3],
            run_levels=[0] * 3, run_counts=[1] * 3)

KERNELS = [
    FiltrationKernel(n_levels=1, combine=how).fit(datasets.csl(copies=1)[0]).on_histograms()
    for how in ("sum", "product")
]

def changed():
    for pointer in POINTERS:
        yield {"graph_ptr": pointer}
        yield {"run_ptr": pointer}
    for name, number, at in itertools.product(GOOD, NUMBERS, range(3)):
        column = list(GOOD[name])
        column[at] = number
        yield {name: column}

def use(histograms):
    for kernel in KERNELS:
        kernel.gram(histograms, histograms)
    histograms.masses, histograms.up_to(0)
"""

CONSTRUCTOR = """
for change in changed():
    attempt(lambda: use(Histograms(1, **{**GOOD, **change})))
for n_levels in (*NUMBERS, 2**64):
    attempt(lambda: use(Histograms(n_levels, **GOOD)))
"""

PICKLE = """
for change in changed():
    columns = Histograms(1, **GOOD).columns
    try:
        name, column = *change, *change.values()
        column = np.array(column, getattr(columns, name).dtype)
    except OverflowError:
        continue
    sent = pickle.dumps(Histograms._trusted(1, columns._replace(**{name: column})))
    attempt(lambda: use(pickle.loads(sent)))
graphs = datasets.csl(skips=(2, 3), copies=2)[0]
for name, numbers in itertools.product(("node_ptr", "edge_ptr", "edges"), [*NUMBERS, 5]):
    column = np.array(getattr(graphs, name))
    try:
        column.reshape(-1)[2] = numbers
    except OverflowError:
        continue
    sent = pickle.dumps(graphs._with(**{name: column}))
    attempt(lambda: FiltrationKernel(weight="walks").fit(pickle.loads(sent)))
for code in (2, -1, 2**31 - 1):
    sent = pickle.dumps(Labels.trusted(("a", "b"), np.array([0, code], np.int32)))
    attempt(lambda: pickle.loads(sent).hashes)
"""

GRAPHS = """
for pointer in POINTERS:
    for kind in (list, lambda p: np.array([x % 2**64 for x in p], np.uint64)):
        attempt(lambda: FiltrationKernel().fit(Graphs(kind(pointer), [0] * 4, [])))
        attempt(lambda: FiltrationKernel().fit(Graphs([0, 3, 6, 9], kind(pointer), [[0, 1]] * 3)))
for number in NUMBERS:
    for edges in ([[0, number]], [[number, 0]], [[number, number]]):
        attempt(lambda: FiltrationKernel().fit(Graphs([0, 3], [0, 1], edges)))
        attempt(lambda: FiltrationKernel().fit(Graphs.from_edge_lists([edges])))
"""

FILES = """
from grafik.system.archive import read_archive, write_archive
folder = sys.argv[1]
graphs, y = datasets.csl(skips=(2, 3, 4), copies=4)
model = grafik.FiltrationClassifier(weight="walks", depths=[1], levels=[2], Cs=[1.0]).fit(graphs, y)
keyed = FiltrationKernel(weight="marked").fit(graphs)
ids = Graphs(graphs.node_ptr, graphs.edge_ptr, graphs.edges, ids=range(len(graphs)))
index = grafik.GraphIndex(FiltrationKernel(weight="walks", normalize=True)).add(ids)
for made, use in (
    (model, lambda found: found.decision_function(graphs)),
    (keyed, lambda found: found.transform(graphs)),
    (index, lambda found: found.search(graphs, top=3)),
    (index, lambda found: found.search(graphs, top=3, approximate=True)),
):
    path = folder + "/" + type(made).__name__
    made.save(path)
    whole = read_archive(path)
    for name, array in whole.arrays.items():
        if array.dtype.kind not in "iu" or not array.size:
            continue
        thirds = np.array(POINTERS[0]).astype(array.dtype)
        for at, number in itertools.product((0, array.size // 2, -1), [*NUMBERS, "thirds"]):
            forged = array.copy()
            flat = forged.reshape(-1)
            try:
                if number == "thirds":
                    if array.size < 4:
                        continue
                    flat[array.size // 2 - 1: array.size // 2 + 1] = thirds[1:3]
                else:
                    flat[at] = number
            except OverflowError:
                continue
            write_archive(path, whole.kind, whole.content, {**whole.arrays, name: forged})
            attempt(lambda: use(grafik.load(path)))
"""

OTHERS = """
from grafik.features.barcodes import Barcodes
from grafik.features.wl_occurrences import Occurrences
from grafik.models.decision import SupportVectors
COLUMNS = [[0, 1, 2, 3], [0] * 3, [1, 2, 3], [0] * 3, [0] * 3, [1] * 3]
for place, number in itertools.product(range(6), NUMBERS):
    columns = [list(column) for column in COLUMNS]
    columns[place][1] = number
    attempt(lambda: use(Barcodes(1, Occurrences(*map(np.array, columns))).histograms()))
for pointer in POINTERS:
    columns = [pointer, *COLUMNS[1:]]
    attempt(lambda: use(Barcodes(1, Occurrences(*map(np.array, columns))).histograms()))
for sizes in ([2**63 - 1, 2**63 - 1, 4], [2**62, 2**62, 2**63 - 1]):
    n = sum(sizes) % 2**64
    n = 2 if n > 10 else n
    machine = np.ones((2, n)), np.zeros(3), np.array(sizes)
    attempt(lambda: SupportVectors(*machine).decide(np.ones((1, n))))
graphs, y = datasets.csl(skips=(2, 3), copies=4)
for number in NUMBERS:
    for fold in ((np.arange(6), [number]), ([0, 1, 4, 5, number], [2])):
        model = grafik.FiltrationClassifier(weight="walks", depths=[1], levels=[1], cv=[fold])
        try:
            model.fit(graphs, y)
        except IndexError:
            refused += 1
    attempt(lambda: grafik.features.WeisfeilerLehman(1).histograms(
        graphs, grafik.Filtration().fit(graphs), levels=np.full(len(graphs.edges), number)))
"""


@pytest.mark.parametrize(
    ("code", "least"),
    [
        (HISTOGRAMS + CONSTRUCTOR, 120),
        (HISTOGRAMS + PICKLE, 60),
        (GRAPHS, 50),
        (FILES, 100),
        (HISTOGRAMS + OTHERS, 50),
    ],
    ids=["histograms", "pickles", "graphs", "files", "others"],
)
def test_no_array_of_extreme_integers_ends_the_process(code, least, tmp_path):
    child = Forked(BEGIN + code + "\nprint(refused)", tmp_path)
    printed, error = child.communicate(300)
    assert child.returncode == 0, error
    assert int(printed) >= least
