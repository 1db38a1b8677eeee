"""Every public kernel, feature and weight is in the tables that tests go through."""

import grafik
from all_kernels import (
    BASELINES,
    COMBINED,
    DEFINITIONS,
    EXTRACTORS,
    GRIDS,
    KERNELS,
    LABELS,
    SAMPLING,
    WEIGHTS,
)
from grafik import baselines, features, weights


def names(objects):
    return {type(one).__name__ for one in objects}


def test_every_feature_is_in_the_tables():
    assert names([*EXTRACTORS, *LABELS]) == set(features.__all__)
    assert names(SAMPLING) <= names(EXTRACTORS)
    assert names(extractor for extractor, _ in DEFINITIONS.values()) == names(EXTRACTORS)


def test_every_weight_is_in_the_table():
    assert weights.NAMES.keys() <= WEIGHTS.keys()
    found = [weights.NAMES[one] if isinstance(one, str) else one for one in WEIGHTS.values()]
    others = {"compute", "values", "Combined"}  # Combined is made of weights in the table
    own = [one for name, one in vars(weights).items() if name[0] != "_" and name not in others]
    public = [one for one in own if getattr(one, "__module__", "").startswith("grafik.weights")]
    assert {*found, *map(type, found)} >= set(public)


def test_every_baseline_is_in_the_tables():
    assert names(BASELINES.values()) == set(baselines.__all__)
    with_depth = [one for one in BASELINES.values() if "depth" in one.get_params()]
    assert names(GRIDS.values()) == names(with_depth)


def test_every_kernel_is_in_the_table():
    public = {name for name in grafik.__all__ if name.endswith("Kernel")}
    assert names([*KERNELS.values(), *COMBINED.values()]) == public
