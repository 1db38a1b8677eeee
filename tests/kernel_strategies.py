"""Hypothesis chooses kernels, and graphs with few labels for them."""

from hypothesis import strategies as st

from grafik import FiltrationKernel
from grafik.features import WeisfeilerLehman
from strategies import build, raw_batches

few = st.sampled_from(["C", "O", 1, True])
how = {"label": few, "value": st.integers(-4, 4).map(float), "max_nodes": 7}
batches = raw_batches(**how).map(build)
directed_batches = raw_batches(**how, directed=True).map(lambda raw: build(raw, directed=True))
masses = st.sampled_from(["linear", "min"])
labels = st.builds(
    WeisfeilerLehman, st.integers(0, 3), st.sampled_from(["auto", False]), st.booleans()
)


@st.composite
def kernels(draw, features=labels):
    product = draw(st.booleans())
    return FiltrationKernel(
        draw(features),
        weight=draw(st.sampled_from(["degree", "triangles"])),
        thresholds=draw(st.sampled_from(["kmeans", "distinct"])),
        n_levels=draw(st.integers(1, 4)),
        scale=draw(st.sampled_from(["unit", "raw"])),
        gamma=draw(st.sampled_from([0.0, 0.3, 5.0])),
        combine="product" if product else "sum",
        beta=draw(st.sampled_from([0.0, 1e-3, 0.1])),
        alpha_delta=draw(st.sampled_from([None, 0.5, -3.0])),
        normalize=draw(st.booleans()),
        mass="linear" if product else draw(masses),
    )
