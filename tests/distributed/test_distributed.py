"""Work on a Dask cluster of real processes has the bits of work on one machine, whoever dies."""

import json
import os
import re
import signal
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import forked
from all_kernels import COMBINED, KERNELS
from command_line import grafik
from grafik import FiltrationEmbedding, FiltrationKernel, Graphs, Histograms, datasets
from grafik.evaluation import PROTOCOLS, evaluate
from grafik.large import blocks
from grafik.large.vector_files import write_parts
from interrupted_gram import begun
from worker_tasks import LabelCounts, deadly, slow_square

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

from grafik.distributed import connected, gram_array, results_on, transform, transform_array  # noqa: E402
from grafik.distributed import dask as tasks  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    before = dict(os.environ)  # in which Dask leaves settings for its workers behind
    # A worker that takes longer than this to come back is given up, even on a busy machine.
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
    with (
        patient,
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
    ):
        yield cluster
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def client(cluster):
    """A client of two workers; those that a test killed are replaced by then."""
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


# Kernels of both kinds.
BOTH = {**KERNELS, **{f"{name}, combined": one for name, one in COMBINED.items()}}


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "MOST_GRAPHS", 7)


@pytest.fixture(scope="module")
def graphs():
    return datasets.random_graphs(45, 12, 0.3, n_labels=3, random_state=1)[0]


@pytest.mark.parametrize("name", BOTH)
def test_gram_matrices_have_the_bits_of_one_machine(client, graphs, small_blocks, name):
    kernel = BOTH[name]
    known, unknown = graphs[:16], graphs[16:24]  # blocks of three parts with two
    here = kernel.fit_transform(known)
    there = kernel.fit_transform(known, client=client)
    assert there.tobytes() == here.tobytes()
    new = kernel.transform(unknown)
    assert kernel.transform(unknown, client=client).tobytes() == new.tobytes()


def test_directed_graphs_have_the_bits_of_one_machine(client, graphs, small_blocks):
    """Workers count the labels of the graphs that they get, so directions must come along."""
    back = graphs.edges[:, ::-1]
    how = {"node_labels": graphs.node_labels, "directed": True}
    turned = Graphs(graphs.node_ptr, graphs.edge_ptr, back, **how)
    embedding = FiltrationEmbedding(n_components=2**20, method="hashed").fit(turned)
    here, there = embedding.transform(turned), transform(client, embedding, turned)
    assert (here != there).nnz == 0
    plain = embedding.fit(graphs).transform(graphs)
    assert (here != plain).nnz > 0
    kernel = FiltrationKernel()
    matrix = kernel.fit_transform(turned)
    assert kernel.fit_transform(turned, client=client).tobytes() == matrix.tobytes()


@pytest.mark.parametrize("shared", [True, False])
def test_files_have_the_bits_whether_workers_see_them_or_not(
    client, graphs, small_blocks, tmp_path, monkeypatch, shared
):
    if not shared:  # the mark that workers look for is another one
        monkeypatch.setattr("grafik.distributed.gram.marked", elsewhere)
    kernel = FiltrationKernel(normalize=True)
    matrix = kernel.gram_to(tmp_path / "K.npy", graphs, client=client)
    assert matrix.tobytes() == kernel.fit_transform(graphs).tobytes()
    rows = kernel.transform_to(tmp_path / "rows.npy", graphs[:9], client=client)
    assert rows.tobytes() == matrix[:9].tobytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["K.npy", "rows.npy"]


def test_what_was_begun_here_goes_on_there(client, graphs, small_blocks, tmp_path, monkeypatch):
    begun(monkeypatch, tmp_path / "K.npy", graphs)
    calls = counted(monkeypatch)
    matrix = FiltrationKernel().gram_to(tmp_path / "K.npy", graphs, client=client)
    assert len(calls) == 28 - 9
    assert matrix.tobytes() == FiltrationKernel().fit_transform(graphs).tobytes()


@contextmanager
def elsewhere(folder):
    """Leave no mark, as if workers saw another disk."""
    yield "elsewhere"


def kill_after(seen, wanted, pid):
    """Kill a process as soon as some results are seen."""
    while len(seen) < wanted:
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)


def counted(monkeypatch, name="gram"):
    """Return a list of the results that come back from the cluster."""
    module = import_module(f"grafik.distributed.{name}")
    seen, plain = [], module.results_on

    def watched(*arguments):
        for found in plain(*arguments):
            seen.append(found)
            yield found

    monkeypatch.setattr(module, "results_on", watched)
    return seen


@pytest.mark.parametrize("with_client", [True, False])
def test_lazy_arrays_compute_what_is_asked_for(client, graphs, with_client):
    kernel = FiltrationKernel(normalize=True)
    array = gram_array(kernel, graphs, client=client if with_client else None, size=20)
    assert array.chunks == ((20, 20, 5), (20, 20, 5))
    whole = kernel.fit_transform(graphs)
    compute = client.compute if with_client else lambda part: part.persist(scheduler="threads")
    part = compute(array[:3, 25:])
    part = part.result() if with_client else part.compute(scheduler="threads")
    assert part.tobytes() == np.ascontiguousarray(whole[:3, 25:]).tobytes()
    scheduler = client.get if with_client else "threads"
    assert array.compute(scheduler=scheduler).tobytes() == whole.tobytes()
    new = transform_array(kernel, graphs[:7], client=client if with_client else None, size=20)
    assert new.compute(scheduler=scheduler).tobytes() == whole[:7].tobytes()


def test_a_killed_worker_changes_nothing_but_the_time(
    client, graphs, small_blocks, tmp_path, monkeypatch
):
    kernel = FiltrationKernel()
    here = kernel.fit_transform(graphs)
    pids = list(client.run(os.getpid).values())
    seen = counted(monkeypatch)
    killer = threading.Thread(target=kill_after, args=(seen, 3, pids[0]))
    killer.start()
    there = kernel.gram_to(tmp_path / "K.npy", graphs, client=client)
    killer.join()
    assert there.tobytes() == here.tobytes()
    client.wait_for_workers(2, timeout=60)
    assert pids[0] not in client.run(os.getpid).values()


def test_results_of_a_killed_worker_are_computed_again_and_who_joins_late_takes_part(
    client, tmp_path
):
    results = results_on(client, slow_square, [(n, str(tmp_path)) for n in range(60)])
    found = dict([next(results)])
    before = set(client.run(os.getpid).values())
    os.kill(min(before), signal.SIGKILL)
    # Another worker is started in its place, while nobody asks for more results.
    wait_until(
        lambda: len(set(client.run(os.getpid, on_error="ignore").values()) - before) == 1, 60
    )
    (new,) = set(client.run(os.getpid).values()) - before
    found.update(results)
    assert found == {n: n**2 for n in range(60)}
    assert any(path.name.endswith(f"-{new}") for path in tmp_path.iterdir())


def test_a_lost_scheduler_is_an_error_and_the_work_goes_on_elsewhere(
    graphs, small_blocks, tmp_path, monkeypatch
):
    seen = counted(monkeypatch)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as other,
        distributed.Client(other, set_as_default=False) as client,
    ):
        closer = threading.Thread(target=close_after, args=(seen, 3, other))
        closer.start()
        with pytest.raises(ConnectionError, match="the connection to the scheduler was lost"):
            FiltrationKernel().gram_to(tmp_path / "K.npy", graphs, client=client)
        closer.join()
    lines = (tmp_path / "K.npy.part" / "blocks.jsonl").read_bytes().count(b"\n")
    assert len(seen) <= lines <= len(seen) + 1
    matrix = FiltrationKernel().gram_to(tmp_path / "K.npy", graphs)
    assert matrix.tobytes() == FiltrationKernel().fit_transform(graphs).tobytes()


def close_after(seen, wanted, cluster):
    """Close a cluster as soon as some results are seen."""
    while len(seen) < wanted:
        time.sleep(0.001)
    cluster.close()


def test_when_the_iteration_ends_nothing_is_begun_any_more(client, tmp_path):
    results = results_on(client, slow_square, [(n, str(tmp_path), 0.5) for n in range(1000)])
    next(results)
    # The traceback keeps all futures alive, as it does after Ctrl-C in a notebook.
    with pytest.raises(KeyboardInterrupt) as kept:
        results.throw(KeyboardInterrupt())
    begun = len(list(tmp_path.iterdir()))
    wait_until(lambda: not any(client.processing().values()))
    time.sleep(1.2)
    assert len(list(tmp_path.iterdir())) <= begun + 1
    assert kept.tb is not None


def wait_until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def test_only_a_few_results_are_computed_ahead(client, tmp_path):
    results = results_on(client, slow_square, [(n, str(tmp_path)) for n in range(1000)])
    next(results)
    time.sleep(1.0)
    assert len(list(tmp_path.iterdir())) <= 8
    results.close()


def test_data_travels_once_and_not_with_every_block(client, graphs, monkeypatch):
    monkeypatch.setattr(blocks, "MOST_GRAPHS", 5)
    sent, plain = [], Histograms.__reduce__

    def watched(histograms):
        sent.append(len(histograms))
        return plain(histograms)

    monkeypatch.setattr(Histograms, "__reduce__", watched)
    FiltrationKernel().fit_transform(graphs, client=client)
    # 45 blocks of 9 parts; the scheduler, which is in this process here, sends each one on.
    assert 9 <= len(sent) <= 2 * 9


def test_workers_with_other_versions_are_refused(client, graphs, monkeypatch):
    theirs = tasks._versions()
    monkeypatch.setattr(tasks, "_versions", lambda: {**theirs, "grafik": "9.9", "numba": "0.1"})
    message = (
        f"other versions than the client: grafik {theirs['grafik']} there and 9.9 here, "
        f"numba {theirs['numba']} there and 0.1 here; install the same"
    )
    with pytest.raises(ValueError, match=message):
        FiltrationKernel().fit_transform(graphs, client=client)


def test_an_error_on_a_worker_is_the_error_of_the_caller(client):
    with pytest.raises(ZeroDivisionError):
        list(results_on(client, divmod, [(1, 1), (1, 0)]))


def test_a_task_that_kills_every_worker_is_given_up(cluster, client, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    with pytest.raises(ChildProcessError, match="several workers died over the same task"):
        list(results_on(client, deadly, [()]))


def test_what_is_no_client_is_refused(graphs, cluster):
    kernel = FiltrationKernel()
    with pytest.raises(TypeError, match="client must be a dask.distributed.Client, .* got 'tcp:"):
        kernel.fit_transform(graphs, client="tcp://127.0.0.1:1")
    closed = distributed.Client(cluster, set_as_default=False)
    closed.close()
    with pytest.raises(ConnectionError, match="client is closed; connect it"):
        kernel.fit_transform(graphs, client=closed)


def test_a_scheduler_that_is_not_there():
    with (
        pytest.raises(ConnectionError, match="there is no Dask scheduler at tcp://127.0.0.1:1: "),
        connected("tcp://127.0.0.1:1", timeout="300ms"),
    ):
        pass


def test_without_dask_it_is_said_what_to_install(graphs, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'grafik\[distributed\]'"):
        FiltrationKernel().fit_transform(graphs, client=object())


def test_evaluations_are_the_same_to_the_byte(client, tmp_path, monkeypatch):
    graphs, y = datasets.csl(skips=(2, 3, 5), copies=6)
    few = PROTOCOLS["quick"].with_values(n_splits=3, levels=[1, 2], depths=[1])

    def files(folder):
        return {p.name: p.read_bytes() for p in folder.iterdir() if p.name != "timings.jsonl"}

    evaluate("wl,fwl-triangles", graphs, y, out=tmp_path / "here", protocol=few)
    seen = counted(monkeypatch, "evaluation")
    pids = list(client.run(os.getpid).values())
    killer = threading.Thread(target=kill_after, args=(seen, 2, pids[1]))
    killer.start()
    evaluate("wl,fwl-triangles", graphs, y, out=tmp_path / "there", client=client, protocol=few)
    killer.join()
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert len(seen) == 6


@pytest.mark.parametrize("from_file", [True, False])
def test_vectors_have_the_bits_of_one_machine(client, graphs, tmp_path, from_file):
    counts, given = LabelCounts().fit(graphs), graphs
    if from_file:
        given = tmp_path / "graphs.parquet"
        graphs.to_parquet(given, graphs_per_group=20)
    found = transform(client, counts, given, graphs_per_block=7)
    wanted = counts.transform(graphs)
    assert (found != wanted).nnz == 0
    assert found.data.tobytes() == wanted.data.tobytes()
    assert transform(client, counts, graphs[:0]).shape == (0, 64)


def test_a_file_is_named_as_seen_from_the_caller(client, graphs, tmp_path, monkeypatch):
    counts = LabelCounts().fit(graphs)
    graphs.to_parquet(tmp_path / "graphs.parquet")
    monkeypatch.chdir(tmp_path)  # where the workers are not
    found = transform(client, counts, "graphs.parquet", graphs_per_block=20)
    assert found.data.tobytes() == counts.transform(graphs).data.tobytes()


@pytest.mark.parametrize("size", [0, -1, 2.5])
def test_the_size_of_chunks_is_checked(graphs, size):
    kernel = FiltrationKernel().fit(graphs)
    for make in (gram_array, transform_array):
        with pytest.raises(ValueError, match="size must be an integer of at least 1, got"):
            make(kernel, graphs, size=size)


def test_no_graphs_make_an_array_without_rows():
    graphs = Graphs([0, 1, 2], [0, 0, 0], [], node_labels=["C", "O"])
    array = transform_array(FiltrationKernel(depth=0).fit(graphs), graphs[:0])
    assert (array.shape, array.dtype) == ((0, 2), np.float64)
    assert array.compute(scheduler="threads").shape == (0, 2)


@pytest.mark.parametrize("shared", [True, False])
def test_parts_of_a_cluster_are_the_same_files(client, graphs, tmp_path, monkeypatch, shared):
    counts = LabelCounts().fit(graphs)
    graphs.to_parquet(tmp_path / "graphs.parquet")
    if not shared:
        monkeypatch.setattr("grafik.distributed.vectors.marked", elsewhere)
    for folder, where in (("here", None), ("there", client)):
        write_parts(
            tmp_path / folder,
            counts,
            tmp_path / "graphs.parquet",
            graphs_per_part=7,
            client=where,
        )
    here, there = (
        {path.name: path.read_bytes() for path in (tmp_path / folder).iterdir()}
        for folder in ("here", "there")
    )
    assert here == there
    assert len(here) == 8


def test_the_command_line_uses_a_cluster(cluster, tmp_path):
    options = "gram", "csl", "--weight", "triangles", "--levels", "2"
    there = "--scheduler", cluster.scheduler_address
    runs = [
        grafik(*options, "--out", tmp_path / "K.npy", *there),
        grafik(*options, "--out", tmp_path / "K.npz", *there),
    ]
    for run in runs:
        assert (run.returncode, run.stderr) == (0, "")
        assert "the kernel of 100 x 100 graphs is in" in run.stdout
    kernel = FiltrationKernel(weight="triangles", n_levels=2, normalize=True)
    wanted = kernel.fit_transform(datasets.csl()[0])
    assert np.load(tmp_path / "K.npy").tobytes() == wanted.tobytes()
    with np.load(tmp_path / "K.npz") as saved:
        assert saved["K"].tobytes() == wanted.tobytes()
    assert json.loads((tmp_path / "K.json").read_text())["alphas"] == kernel.alphas_.tolist()


def test_ctrl_c_cancels_what_was_submitted(cluster, client, tmp_path):
    command = "evaluate csl -k fwl-triangles --folds 10 --repeats 10 --depths 1-5 --levels 1-9"
    arguments = [*command.split(), "--out", tmp_path, "--scheduler", cluster.scheduler_address]
    process = forked.grafik(*arguments)
    results = tmp_path / "results.jsonl"
    wait_until(lambda: results.exists() and results.read_bytes().count(b"\n") > 2, 60)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "to go on: grafik evaluate csl" in stderr
    assert "Traceback" not in stderr
    wait_until(lambda: not any(client.processing().values()))


def test_a_wrong_scheduler_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(connected.__wrapped__, "__defaults__", ("300ms",))
    run = grafik("gram", "csl", "--out", tmp_path / "K.npy", "--scheduler", "tcp://127.0.0.1:1")
    assert run.returncode == 2
    assert "grafik: there is no Dask scheduler at tcp://127.0.0.1:1" in run.stderr
    assert "Traceback" not in run.stderr
    assert list(tmp_path.iterdir()) == []


DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "n_blocks", "written"),
    [
        ("how-to/clusters.md", 3, {"K.npy", "vectors"}),
        ("large.md", 1, {"K.npy", "vectors", "results"}),
    ],
)
def test_what_pages_show_runs(client, graphs, tmp_path, monkeypatch, page, n_blocks, written):
    """The cluster of this test stands in for SLURM and Kubernetes, which are not here."""

    def stand_in(**_):
        return SimpleNamespace(scale=lambda jobs: None)

    monkeypatch.setattr("dask.distributed.Client", lambda _: client)
    monkeypatch.setattr("dask.distributed.LocalCluster", stand_in)
    others = {"dask_jobqueue": "SLURMCluster", "dask_kubernetes.operator": "KubeCluster"}
    for module, name in others.items():
        monkeypatch.setitem(sys.modules, module, SimpleNamespace(**{name: stand_in}))
    monkeypatch.setitem(sys.modules, "dask_kubernetes", SimpleNamespace())
    monkeypatch.chdir(tmp_path)
    graphs.to_parquet(tmp_path / "graphs.parquet")
    few = PROTOCOLS["quick"].with_values(n_splits=2, inner_splits=2, levels=[1], depths=[1], Cs=[1])
    names = {
        "kernel": FiltrationKernel(),
        "graphs": graphs,
        "y": np.arange(len(graphs)) % 2,
        "transformer": FiltrationEmbedding(method="hashed", n_components=64, n_levels=1),
        "write_parts": write_parts,
        "evaluate": partial(evaluate, protocol=few),
    }
    shown = re.findall(r"^```python\n(?!>>>)(.*?)^```", (DOCS / page).read_text(), re.M | re.S)
    assert len(shown) == n_blocks
    for block in shown:
        exec(block.replace("/scratch/me", str(tmp_path)), dict(names))
    assert {path.name for path in tmp_path.iterdir()} == {"graphs.parquet", *written}
    matrix = np.load(tmp_path / "K.npy")
    assert matrix.tobytes() == names["kernel"].fit_transform(graphs).tobytes()


def test_without_work_no_cluster_is_needed():
    from grafik.distributed.evaluation import units_on

    assert list(units_on(None, None, [])) == []


def test_a_client_that_cannot_wait_is_refused(monkeypatch):
    import distributed

    monkeypatch.setattr(distributed.Client, "asynchronous", True, raising=False)
    client = object.__new__(distributed.Client)
    with pytest.raises(ValueError, match="must not be asynchronous; make it with asynchronous=Fal"):
        tasks.checked_client(client)
