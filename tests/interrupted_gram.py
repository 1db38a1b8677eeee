"""Gram matrices in files whose writing is watched, and interrupted."""

import pytest

from grafik import FiltrationKernel
from grafik.large import gram_file as gram_files


def watched(monkeypatch, stop_after=None, error=KeyboardInterrupt):
    """Return a list to which every block is added when it is computed; perhaps stop then."""
    computed, plain = [], gram_files.written_here

    def write(*arguments):
        for place, check in plain(*arguments):
            computed.append(place)
            yield place, check
            if len(computed) == stop_after:
                raise error

    monkeypatch.setitem(gram_files.write_gram.__kwdefaults__, "write", write)
    return computed


def begun(monkeypatch, path, graphs, kernel=None, n_blocks=9):
    """Write some blocks, and be interrupted."""
    with monkeypatch.context() as patch:
        watched(patch, n_blocks)
        with pytest.raises(KeyboardInterrupt):
            (kernel or FiltrationKernel()).gram_to(path, graphs)
    assert sorted(p.name for p in (path.parent / "K.npy.part").iterdir()) == [
        "blocks.jsonl",
        "matrix.npy",
    ]
