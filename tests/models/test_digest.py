"""Digests of matrices: equal for equal ones, different for all others."""

import numpy as np
import pytest

from grafik.models import digest as module
from grafik.models.digest import digest


@pytest.mark.parametrize(("n", "kept"), [(20, False), (20, True), (801, False)])
def test_one_bit_of_any_number_that_matters_counts(n, kept, monkeypatch):
    monkeypatch.setattr(module, "_is_kept", lambda: kept)
    rng = np.random.default_rng(0)
    gram, used = rng.random((n, n)), rng.permutation(n)[: n - 5]
    unused = np.setdiff1d(np.arange(n), used)
    for which in (used, np.arange(n)):
        before = digest(gram, which)
        assert digest(gram.copy(), which) == before
        for row, column in ((which[0], which[-1]), (which[-1], which[-1]), (which[3], which[8])):
            other = gram.copy()
            other[row, column] = np.nextafter(other[row, column], 2)
            assert digest(other, which) != before
            other[row, column] = -gram[row, column]
            assert digest(other, which) != before
    other = gram.copy()
    other[unused[0], used[0]] = 7
    assert digest(other, used) == digest(gram, used)
    assert digest(gram[:, ::-1], np.arange(n)) != digest(gram, np.arange(n))


def test_only_matrices_of_the_kind_that_is_compiled_reach_the_loop(monkeypatch):
    met = []
    monkeypatch.setattr(module, "_is_kept", lambda: True)
    monkeypatch.setattr(module, "_mix", lambda bits, *others: met.append(bits))
    gram, used = np.random.default_rng(0).random((20, 20)), np.arange(20)
    fixed = gram.copy()
    fixed.flags.writeable = False
    for other in (gram.astype(np.float32), gram.T, fixed):
        digest(other, used)
    assert met == []
    digest(gram, used)
    assert len(met) == 1


@pytest.mark.parametrize("columns", [range(19), [0, 8], [3, 11], [16, 17]])
def test_signs_of_any_numbers_of_a_row_count(columns, monkeypatch):
    """Also of several that lead to the same state, where two changes could undo each other."""
    monkeypatch.setattr(module, "_is_kept", lambda: True)
    gram, used = np.random.default_rng(0).random((19, 19)), np.arange(19)
    one_by_one, together = {digest(gram, used)}, gram.copy()
    for column in columns:
        other = gram.copy()
        other[4, column] *= -1
        together[4, column] *= -1
        one_by_one.add(digest(other, used))
    assert len(one_by_one) == 1 + len(columns)
    assert digest(together, used) not in one_by_one


def test_numbers_that_change_places_count():
    gram = np.random.default_rng(0).random((800, 800))
    before = digest(gram, np.arange(800))
    for step in (1, 8):
        other = gram.copy()
        other[5, [16, 16 + step]] = gram[5, [16 + step, 16]]
        assert digest(other, np.arange(800)) != before
    assert digest(gram[::-1].copy(), np.arange(800)) != before
