"""FiltrationGIN: its formula, gradients, and what does not change its outputs."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_networks

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./run test-neural")

from grafik.neural import FiltrationGIN  # noqa: E402
from grafik.neural.sums import Terms, summed  # noqa: E402

LEVELS, LAYERS, IN, OUT = 3, 2, 2, 3


def network(seed=0, **options):
    """A small network in double precision, whose normalisation has learned something."""
    torch.manual_seed(seed)
    sizes = {"n_levels": LEVELS, "hidden_channels": 3, "n_layers": LAYERS, **options}
    made = FiltrationGIN(IN, OUT, **sizes).double().eval()
    for name, buffer in made.named_buffers():
        if name.endswith("running_mean"):
            buffer.normal_()
        elif name.endswith("running_var"):
            buffer.uniform_(0.5, 2.0)
    with torch.no_grad():
        for name, value in made.named_parameters():
            if name.endswith("epsilon"):
                value.normal_()
    return made


def plain(made):
    return {name: tensor.tolist() for name, tensor in made.state_dict().items()}


numbers = st.floats(-2, 2, allow_nan=False)


@st.composite
def several(draw):
    """Graphs: features of vertices, and pairs of vertices with levels, of which any may occur."""
    graphs = []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(0, 4))
        x = draw(st.lists(st.tuples(*[numbers] * IN), min_size=n, max_size=n))
        ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)) if n else st.nothing()
        entry = st.tuples(ends, st.integers(0, LEVELS - 1))
        graphs.append((x, draw(st.lists(entry, max_size=6)) if n else []))
    return graphs


def tensors(graphs):
    """Graphs side by side, as PyTorch Geometric puts them."""
    x, pairs, levels, graph_of = [], [], [], []
    for number, (rows, entries) in enumerate(graphs):
        pairs += [(u + len(x), v + len(x)) for (u, v), _ in entries]
        levels += [level for _, level in entries]
        x += rows
        graph_of += [number] * len(rows)
    return (
        torch.tensor(x, dtype=torch.float64).reshape(-1, IN),
        torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2).T,
        torch.tensor(levels, dtype=torch.int64),
        torch.tensor(graph_of, dtype=torch.int64),
        len(graphs),
    )


@pytest.mark.parametrize("directed", [False, True])
@given(graphs=several())
def test_all_levels_in_one_pass_are_the_formula_level_by_level(directed, graphs):
    made = network(directed=directed)
    found = made(*tensors(graphs)).detach().numpy()
    expected = [
        naive_networks.filtration_gin(plain(made), x, entries, LEVELS, LAYERS, directed)
        for x, entries in graphs
    ]
    np.testing.assert_allclose(found, np.array(expected).reshape(-1, OUT), rtol=1e-10, atol=1e-10)


def example():
    graphs = [
        ([(1.0, 0.5), (-1.0, 0.2), (0.3, 2.0)], [((0, 1), 0), ((1, 0), 0), ((1, 2), 2)]),
        ([(0.1, -0.7), (1.5, 1.0)], [((0, 1), 1), ((1, 1), 1), ((0, 1), 1)]),
        ([], []),
    ]
    return tensors(graphs)


def test_sums_have_gradients_of_first_and_second_order():
    torch.manual_seed(0)
    values = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    pairs = torch.tensor([0, 0, 2, 3, 3]), torch.tensor([1, 1, 0, 1, 4])
    terms = Terms.of(*pairs, n_rows=4, n_sums=5)
    assert torch.autograd.gradcheck(lambda v: summed(v, terms), values)
    assert torch.autograd.gradgradcheck(lambda v: summed(v**2, terms), values)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_gradients_of_features_and_of_all_weights_are_those_of_finite_differences(
    directed, training
):
    made = network(directed=directed).train(training)
    x, *rest = example()
    names = [name for name, _ in made.named_parameters()]
    weights = [value.detach().clone().requires_grad_() for value in made.parameters()]

    def outputs(x, *weights):
        # The statistics of normalisation change in training, and must not between two calls.
        own = copy.deepcopy(made)
        return torch.func.functional_call(own, dict(zip(names, weights, strict=True)), (x, *rest))

    assert torch.autograd.gradcheck(outputs, (x.requires_grad_(), *weights), fast_mode=False)


def test_it_counts_when_edges_enter():
    made = network()
    x, edge_index, levels, *rest = example()
    early, late = torch.zeros_like(levels), torch.ones_like(levels)
    one, other = (made(x, edge_index, entry, *rest) for entry in (early, late))
    assert (one[:2] - other[:2]).abs().min() > 1e-6
    assert torch.equal(one[2], other[2])  # it has no edge


def test_with_one_level_levels_may_be_missing():
    made = network(n_levels=1)
    x, edge_index, levels, *rest = example()
    assert torch.equal(
        made(x, edge_index, None, *rest), made(x, edge_index, torch.zeros_like(levels), *rest)
    )


def test_one_graph_needs_no_batch():
    made = network()
    x, edge_index, levels, *_ = example()
    found = made(x, edge_index, levels)
    zeros = torch.zeros(len(x), dtype=torch.int64)
    assert torch.equal(found, made(x, edge_index, levels, zeros))
    assert found.shape == (1, OUT)
    no_edges = torch.zeros((2, 0), dtype=torch.int64), torch.zeros(0, dtype=torch.int64)
    nothing = made(x[:0], *no_edges, zeros[:0])
    assert nothing.shape == (0, OUT)


def test_directions_count_only_where_they_are_told_apart():
    x = torch.ones(3, IN, dtype=torch.float64)
    entry = torch.zeros(2, dtype=torch.int64)
    out, into = torch.tensor([[0, 0], [1, 2]]), torch.tensor([[1, 2], [0, 0]])
    made = network(directed=True)
    assert (made(x, out, entry) - made(x, into, entry)).abs().max() > 1e-6
    # Messages against edges are the same function of the reversed graph.
    swapped = copy.deepcopy(made)
    for layer in swapped.layers:
        layer.first.weight, layer.against.weight = layer.against.weight, layer.first.weight
        layer.epsilon.data.fill_(-1.0)
    reference = copy.deepcopy(made)
    for layer in reference.layers:
        layer.epsilon.data.fill_(-1.0)
    torch.testing.assert_close(swapped(x, into, entry), reference(x, out, entry))


def test_a_batch_of_one_vertex_can_be_trained_on():
    made = network(n_levels=1).train()
    x, none = torch.ones(1, IN, dtype=torch.float64), torch.zeros((2, 0), dtype=torch.int64)
    made(x, none).sum().backward()
    assert all(value.grad is not None for value in made.parameters())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"x": torch.ones(5, IN, dtype=torch.int64)}, r"x must be floats of shape \(n, 2\)"),
        ({"x": torch.ones(5, 3)}, r"got torch.float32 of shape \(5, 3\); labels become floats by"),
        ({"edge_index": torch.tensor([[0], [5]])}, "edge_index must be from 0 to 4, got 0 to 5"),
        ({"edge_level": torch.tensor([3])}, "edge_level must be from 0 to 2, got 3 to 3"),
        ({"edge_level": torch.tensor([0, 1])}, r"must be int64 of shape \(1,\), got torch.int64 o"),
        ({"edge_level": torch.tensor([1.0])}, r"edge_level must be int64 of shape \(1,\), got tor"),
        ({"edge_level": None}, "edge_level is needed for 3 levels; grafik.neural.AddFiltration"),
        ({"batch": torch.full((5,), -1)}, "batch must be from 0 to 0, got -1 to -1"),
        ({"batch": torch.zeros(4, dtype=torch.int64)}, r"batch must be int64 of shape \(5,\)"),
    ],
)
def test_what_does_not_fit_together_is_refused(changed, message):
    given = {
        "x": torch.ones(5, IN, dtype=torch.float64),
        "edge_index": torch.tensor([[0], [4]]),
        "edge_level": torch.tensor([2]),
        "batch": torch.zeros(5, dtype=torch.int64),
        "batch_size": 1,
    }
    made = network()
    assert made(**given).shape == (1, OUT)
    with pytest.raises(ValueError, match=message):
        made(**{**given, **changed})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_levels": 0}, "n_levels must be an integer of at least 1, got 0"),
        ({"dropout": 1.0}, "dropout must be less than 1, got 1.0"),
        ({"directed": 1}, "directed must be True or False, got 1"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        FiltrationGIN(**{"in_channels": 1, "out_channels": 1, "n_levels": 2, **options})
