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


def test_numbers_that_change_places_count():
    gram = np.random.default_rng(0).random((800, 800))
    before = digest(gram, np.arange(800))
    for step in (1, 8):
        other = gram.copy()
        other[5, [16, 16 + step]] = gram[5, [16 + step, 16]]
        assert digest(other, np.arange(800)) != before
    assert digest(gram[::-1].copy(), np.arange(800)) != before
