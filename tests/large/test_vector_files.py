"""Vectors in sparse Parquet parts: those of one call, whatever happens on the way."""

import hashlib
import os
import random
import signal
import sys
import time
from datetime import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import FeatureUnion, make_pipeline

from forked import Forked
from grafik import FiltrationKernel, Graphs, datasets
from grafik.graphs.parquet import GraphFile
from grafik.large import vector_files as parts
from grafik.large.vector_files import iter_parts, read_parts, write_parts
from grafik.system import memory
from grafik.system.journal import Journal, read_journal
from worker_tasks import LabelCounts


@pytest.fixture(scope="module")
def graphs():
    return datasets.random_graphs(45, 12, 0.3, n_labels=3, random_state=1)[0]


@pytest.fixture(scope="module")
def counts(graphs):
    return LabelCounts().fit(graphs)


def same(found, wanted):
    columns = ("indptr", "indices", "data")
    return found.shape == wanted.shape and all(
        np.array_equal(getattr(found, name), getattr(wanted, name)) for name in columns
    )


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("kind", ["path", "file", "batch", "list"])
def test_parts_are_the_rows_of_one_call(tmp_path, graphs, counts, kind):
    path = tmp_path / "graphs.parquet"
    graphs.to_parquet(path, graphs_per_group=20)
    given = {
        "path": path,
        "file": GraphFile(path, 7),
        "batch": graphs,
        "list": [graphs[:40], graphs[40:]],
    }[kind]
    assert write_parts(tmp_path / "Z", counts, given, graphs_per_part=7) == 45
    assert same(read_parts(tmp_path / "Z"), counts.transform(graphs))
    sizes = [part.shape[0] for part in iter_parts(tmp_path / "Z")]
    expected = {"batch": [7] * 6 + [3], "list": [40, 5]}
    assert sizes == expected.get(kind, [7, 7, 6, 7, 7, 6, 5])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_need_not_be_utf_8(tmp_path, graphs, counts):
    folder = tmp_path / os.fsdecode(b"Z\xff")
    write_parts(folder, counts, graphs)
    assert same(read_parts(folder), counts.transform(graphs))


def test_dense_rows_and_empty_ones_are_fine(tmp_path, graphs):
    kernel = FiltrationKernel().fit(graphs[:5])
    empty = Graphs([0, 0], [0, 0], [])
    write_parts(tmp_path, kernel, [graphs[:8], empty])
    found = read_parts(tmp_path)
    assert np.array_equal(found.toarray()[:8], kernel.transform(graphs[:8]))
    assert found[8].nnz == 0


def test_no_graphs_are_no_parts(tmp_path, counts, graphs):
    assert write_parts(tmp_path, counts, graphs[:0]) == 0
    with pytest.raises(ValueError, match="has no parts, as there were no graphs"):
        read_parts(tmp_path)


class Stopping(LabelCounts):
    """Is interrupted after some blocks."""

    left = 3

    def transform(self, graphs):
        if Stopping.left == 0:
            raise KeyboardInterrupt
        Stopping.left -= 1
        return super().transform(graphs)


@pytest.fixture
def begun(tmp_path, graphs, monkeypatch):
    monkeypatch.setattr(Stopping, "left", 3)
    transformer = Stopping().fit(graphs)
    with pytest.raises(KeyboardInterrupt):
        write_parts(tmp_path / "Z", transformer, graphs, graphs_per_part=7)
    assert sorted(files(tmp_path / "Z")) == [f"part-00000{i}.parquet" for i in range(3)] + [
        "parts.jsonl"
    ]
    monkeypatch.setattr(Stopping, "left", 1000)
    return transformer


def n_computed():
    return 1000 - Stopping.left


def test_it_goes_on_where_it_was_and_ends_with_the_same_bytes(tmp_path, graphs, begun):
    with pytest.raises(ValueError, match=r"Z has 3 of 7 parts; write the others first"):
        read_parts(tmp_path / "Z")
    write_parts(tmp_path / "Z", begun, graphs, graphs_per_part=7)
    assert n_computed() == 4
    write_parts(tmp_path / "whole", begun, graphs, graphs_per_part=7)
    assert files(tmp_path / "Z") == files(tmp_path / "whole")


@pytest.mark.parametrize("damage", ["missing", "flipped"])
def test_a_part_that_is_not_what_was_written_is_made_again(tmp_path, graphs, begun, damage):
    part = tmp_path / "Z" / "part-000001.parquet"
    before = bytearray(part.read_bytes())
    if damage == "missing":
        part.unlink()
    else:
        before[len(before) // 2] ^= 1
        part.write_bytes(before)
    write_parts(tmp_path / "Z", begun, graphs, graphs_per_part=7)
    assert n_computed() == 5
    assert same(read_parts(tmp_path / "Z"), begun.transform(graphs))


def test_damage_is_found_when_parts_are_read(tmp_path, graphs, counts):
    write_parts(tmp_path, counts, graphs)
    part = tmp_path / "part-000000.parquet"
    whole = part.read_bytes()
    for place in range(4, len(whole), 97):
        damaged = bytearray(whole)
        damaged[place] ^= 4
        part.write_bytes(damaged)
        with pytest.raises(ValueError, match="part-000000.parquet is damaged"):
            read_parts(tmp_path)
    part.unlink()
    with pytest.raises(FileNotFoundError, match="part-000000.parquet; write it again"):
        read_parts(tmp_path)


@pytest.mark.parametrize("change", ["parameter", "fitted", "graphs", "cut"])
def test_other_graphs_and_transformers_are_refused(tmp_path, graphs, begun, change):
    transformer, given, size = begun, graphs, 7
    if change == "parameter":
        transformer = Stopping(depth=1).fit(graphs)
    elif change == "fitted":
        transformer = Stopping().fit(graphs[:9])
    elif change == "graphs":
        given = graphs[::-1]
    else:
        size = 6
    with pytest.raises(ValueError, match="holds vectors of other graphs or from another"):
        write_parts(tmp_path / "Z", transformer, given, graphs_per_part=size)


def test_a_file_cut_into_other_parts_is_refused_even_if_they_are_as_many(tmp_path, graphs, begun):
    path = tmp_path / "graphs.parquet"
    graphs.to_parquet(path)
    write_parts(tmp_path / "file", begun, path, graphs_per_part=23)
    with pytest.raises(ValueError, match=r"lengths is \[23,22\] there and \[25,20\] now"):
        write_parts(tmp_path / "file", begun, path, graphs_per_part=25)


class Nested(LabelCounts):
    """Takes what transformers within it have learned."""

    def __init__(self, inner=None, how="list"):
        super().__init__()
        self.inner = inner
        self.how = how

    def fit(self, graphs, y=None):
        """Fit what is within, where it is."""
        self.weights_ = 1.0
        inner = self.inner.fit(graphs)
        self.kept_ = {"list": [("a", inner)], "dict": {"a": (inner, 1)}, "pipe": None}[self.how]
        return self

    def transform(self, graphs):
        """Return the rows of what is within."""
        return self.inner.transform(graphs)


@pytest.mark.parametrize("kind", ["list", "dict", "pipe", "union", "twice"])
def test_what_inner_transformers_have_learned_counts(tmp_path, graphs, kind):
    def made(given):
        inner = LabelCounts()
        if kind == "pipe":
            return make_pipeline(inner).fit(given)
        if kind == "union":
            return make_pipeline(FeatureUnion([("a", inner)])).fit(given)
        if kind == "twice":
            return Nested(Nested(inner)).fit(given)
        return Nested(inner, kind).fit(given)

    write_parts(tmp_path, made(graphs), graphs, graphs_per_part=30)
    write_parts(tmp_path, made(graphs), graphs, graphs_per_part=30)
    with pytest.raises(ValueError, match="transformer.fitted is"):
        write_parts(tmp_path, made(graphs[:9]), graphs, graphs_per_part=30)


@pytest.mark.parametrize("entries", [[1, 0, 2], [0, 2, 1, 1]])
def test_parts_are_read_by_their_numbers(tmp_path, graphs, counts, entries):
    write_parts(tmp_path, counts, graphs, graphs_per_part=20)
    lines = (tmp_path / "parts.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "parts.jsonl").write_bytes(lines[0] + b"".join(lines[1 + i] for i in entries))
    assert same(read_parts(tmp_path), counts.transform(graphs))


@pytest.mark.parametrize("entries", [[0, 1, 1], [2, 2, 0, 0]])
def test_a_part_that_is_listed_twice_does_not_stand_for_another(tmp_path, graphs, counts, entries):
    write_parts(tmp_path, counts, graphs, graphs_per_part=20)
    lines = (tmp_path / "parts.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "parts.jsonl").write_bytes(lines[0] + b"".join(lines[1 + i] for i in entries))
    with pytest.raises(ValueError, match="has 2 of 3 parts"):
        read_parts(tmp_path)


def test_threads_and_what_was_asked_before_do_not_matter(tmp_path, graphs):
    kernel = FiltrationKernel(n_jobs=1).fit(graphs[:5])
    write_parts(tmp_path, kernel, graphs, graphs_per_part=7)
    before = files(tmp_path)
    kernel.set_params(n_jobs=2).transform(graphs)  # orders the histograms, once and for all
    write_parts(tmp_path, kernel, graphs, graphs_per_part=7)
    assert files(tmp_path) == before
    assert kernel.n_jobs == 2


class Returning(BaseEstimator):
    """Returns vectors of some kind, or with as many columns as graphs."""

    def __init__(self, dtype=None):
        self.dtype = dtype

    def transform(self, graphs):
        return np.ones((len(graphs), len(graphs) if self.dtype is None else 2), self.dtype)


@pytest.mark.parametrize("dtype", ["bool", "complex128"])
def test_only_integers_and_floats_can_be_written(tmp_path, graphs, dtype):
    name = np.dtype(dtype).name
    with pytest.raises(TypeError, match=f"integers or floats of at most 64 bits, got {name}"):
        write_parts(tmp_path, Returning(dtype), graphs)
    for fine in ("int8", "uint64", "float32"):
        write_parts(tmp_path / fine, Returning(fine), graphs)
        assert read_parts(tmp_path / fine).dtype == fine


def test_all_parts_have_the_same_columns(tmp_path, graphs):
    with pytest.raises(ValueError, match="part 2 have 5 columns, those of part 0 have 20"):
        write_parts(tmp_path, Returning(), graphs, graphs_per_part=20)


def test_what_a_killed_run_left_is_deleted(tmp_path, graphs, counts):
    write_parts(tmp_path, counts, graphs)
    whole = files(tmp_path)
    (tmp_path / ".part-000000.parquet.k1ll3d_1.part").touch()
    (tmp_path / ".parts.jsonl.k1ll3d_1.part").touch()
    write_parts(tmp_path, counts, graphs)
    assert files(tmp_path) == whole


class Wrong(BaseEstimator):
    """Forgets a graph."""

    def transform(self, graphs):
        return np.ones((len(graphs) - 1, 2))


def test_a_call_that_failed_at_once_is_no_obstacle_to_the_right_one(tmp_path, graphs):
    with pytest.raises(AttributeError, match="weights_"):
        write_parts(tmp_path, LabelCounts(), graphs)
    counts = LabelCounts().fit(graphs)
    write_parts(tmp_path, counts, graphs[:30], graphs_per_part=20)
    assert same(read_parts(tmp_path), counts.transform(graphs[:30]))


def test_mistakes_are_named(tmp_path, graphs, counts):
    with pytest.raises(ValueError, match="Wrong must return a row for each of 45 graphs, got 44"):
        write_parts(tmp_path, Wrong(), graphs)
    with pytest.raises(TypeError, match="must be the path of a Parquet file, Graphs or a list"):
        write_parts(tmp_path, counts, (block for block in [graphs]))
    with pytest.raises(ValueError, match="graphs_per_part must be an integer of at least 1"):
        write_parts(tmp_path, counts, graphs, graphs_per_part=0)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        write_parts(tmp_path, counts, tmp_path / "nowhere.parquet")


_KILLED = """
import sys, time
from grafik import datasets
from grafik.large import vector_files as parts
from worker_tasks import LabelCounts
plain = parts.vectors
def slowly(*arguments):
    time.sleep(0.03)
    return plain(*arguments)
parts.vectors = slowly
graphs, _ = datasets.random_graphs(45, 12, 0.3, n_labels=3, random_state=1)
parts.write_parts(sys.argv[1], LabelCounts().fit(graphs), graphs, graphs_per_part=2)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
def test_killed_at_a_random_moment_at_most_one_part_is_made_again(
    tmp_path, graphs, counts, monkeypatch
):
    rng, lines = random.Random(), tmp_path / "parts.jsonl"
    process = Forked(_KILLED, tmp_path)
    moment = rng.randrange(2, 20)
    while process.poll() is None and (
        not lines.exists() or lines.read_bytes().count(b"\n") < moment
    ):
        time.sleep(0.002)
    time.sleep(rng.uniform(0, 0.04))
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = lines.read_bytes().count(b"\n") - 1
    made, plain = [], parts.vectors

    def watched(transformer, block):
        made.append(len(block))
        return plain(transformer, block)

    monkeypatch.setattr(parts, "vectors", watched)
    write_parts(tmp_path, counts, graphs, graphs_per_part=2)
    assert len(made) == 23 - done
    assert same(read_parts(tmp_path), counts.transform(graphs))


@pytest.mark.parametrize(
    "entry", [{"fold": 0}, {"number": -1, "n_graphs": 1, "n_columns": 1, "digest": "x"}]
)
def test_lines_that_are_not_about_vectors_are_named(tmp_path, entry):
    graphs, _ = datasets.csl(skips=(2, 3), copies=2)
    counts = LabelCounts().fit(graphs)
    write_parts(tmp_path, counts, graphs, graphs_per_part=2)
    header, _ = read_journal(tmp_path / parts.JOURNAL)
    del header["format"]
    with Journal(tmp_path / parts.JOURNAL, header) as journal:
        journal.append(entry)
    with pytest.raises(ValueError, match="jsonl, line 4: this is not about vectors; delete it"):
        read_parts(tmp_path)
    with pytest.raises(ValueError, match="jsonl, line 4: this is not about vectors; delete it"):
        write_parts(tmp_path, counts, graphs, graphs_per_part=2)


def forged(folder, change):
    """Change the lines of the list of parts; their checksums are right."""
    path = folder / "parts.jsonl"
    header, entries = read_journal(path)
    lines = [header, *entries]
    change(lines)
    path.unlink()
    del lines[0]["format"]
    with Journal(path, lines[0]) as journal:
        for line in lines[1:]:
            journal.append(line)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[0].pop("parts"), "parts.jsonl, line 1: this is not about vectors"),
        (lambda lines: lines[0].update(parts="2"), "line 1: this is not about vectors"),
        (lambda lines: lines[0].update(parts=2**62), f"has 2 of {2**62} parts; write the others"),
        (lambda lines: lines[2].update(n_columns=7), "part 1 has 7 columns, but part 0 has"),
    ],
)
def test_forged_lists_of_parts_are_refused(tmp_path, graphs, counts, change, message):
    write_parts(tmp_path, counts, graphs[:4], graphs_per_part=2)
    forged(tmp_path, change)
    with pytest.raises(ValueError, match=message):
        read_parts(tmp_path)


@pytest.mark.parametrize(
    "columns",
    [
        None,
        {"columns": [[0], [0]]},
        {"columns": [0, 1], "values": [1.0, 2.0]},
        {"columns": [[0], [0]], "values": [["a"], ["b"]]},
        {"columns": [[0], [0]], "values": [[1.0], [2.0, 3.0]]},
        {"columns": [[0], [-1]], "values": [[1.0], [2.0]]},
        {"columns": [[0], [0]], "values": [[True], [False]]},
        {"columns": [[0], [0]], "values": [[datetime(2020, 1, 1)], [datetime(2021, 1, 1)]]},
    ],
    ids=repr,
)
def test_forged_parts_are_refused(tmp_path, graphs, counts, columns):
    write_parts(tmp_path, counts, graphs[:2])
    part = tmp_path / "part-000000.parquet"
    if columns is None:
        part.write_bytes(b"PAR1 nothing PAR1")
    else:
        pq.write_table(pa.table(columns), part)
    digest = hashlib.sha256(part.read_bytes()).hexdigest()
    forged(tmp_path, lambda lines: lines[1].update(digest=digest))
    with pytest.raises(ValueError, match="part-000000.parquet is damaged: it is not what was"):
        read_parts(tmp_path)


def test_a_part_that_does_not_fit_in_memory_is_not_called_damaged(
    tmp_path, graphs, counts, monkeypatch
):
    write_parts(tmp_path, counts, graphs)
    monkeypatch.setattr(memory, "_SURELY_FREE", 0.0)
    monkeypatch.setattr(memory, "available", lambda: 1.0)
    with pytest.raises(MemoryError, match=r"reading .*part-000000.parquet takes .* smaller parts"):
        read_parts(tmp_path)


def test_a_part_for_which_arrow_wants_more_memory_than_there_is_is_damaged(
    tmp_path, graphs, counts, monkeypatch
):
    def greedy(*arguments):
        raise pa.ArrowMemoryError("malloc of size 4611686018427387904 failed")

    write_parts(tmp_path, counts, graphs)
    monkeypatch.setattr(parts, "_arrays", greedy)
    with pytest.raises(ValueError, match="parquet is damaged: malloc of size 46.* write it again"):
        read_parts(tmp_path)
