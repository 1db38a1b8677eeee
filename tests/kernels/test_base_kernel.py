import math
from itertools import pairwise

import numpy as np
import pytest

from grafik.kernels.base_kernel import exponential
from grafik.kernels.sums import _exponentials

DISTANCES = np.concatenate(
    [np.random.default_rng(0).random(3000), np.linspace(0, 1, 1001), 2.0 ** -np.arange(60)]
)


@pytest.mark.parametrize("gamma", [1e-9, 0.3, 1.0, 17.0, 300.0, 700.0])
def test_it_is_the_exponential_in_44_bits(gamma):
    for distance in DISTANCES.tolist():
        found, wanted = exponential(distance, gamma), math.exp(-(gamma * distance))
        assert abs(found - wanted) <= 2.0**-44 * wanted * 1.01
        mantissa, _ = math.frexp(found)
        assert mantissa * 2**44 == int(mantissa * 2**44)


@pytest.mark.parametrize("gamma", [0.3, 40.0, 2000.0])
def test_many_at_a_time_have_the_bits_of_one(gamma):
    many = DISTANCES.copy()
    _exponentials(many, gamma)
    assert many.tolist() == [exponential(distance, gamma) for distance in DISTANCES.tolist()]


def test_it_falls_from_one_to_zero():
    values = [exponential(distance, 900.0) for distance in np.sort(DISTANCES).tolist()]
    assert values[0] == 1.0
    assert all(a >= b for a, b in pairwise(values))
    assert values[-1] == 0.0
    assert exponential(0.0, 1e308) == 1.0
    assert exponential(1e-300, 1e308) == 0.0
    assert exponential(10.0, 1e308) == 0.0
    assert 0 < exponential(1.0, 707.0) < 1e-300
