"""The strategies of hypothesis make what they are meant to make."""

from hypothesis import given, settings

from strategies import RawGraph, full_batches, raw_batches


def test_raw_graphs_cover_the_odd_cases():
    """If the strategy stopped making loops or duplicates, the tests above would sleep."""
    found = set()

    @settings(max_examples=100)
    @given(raw_batches())
    def look(raw):
        for g in raw:
            assert isinstance(g, RawGraph)
            found.update({"empty"} if g.n == 0 else set())
            found.update({"edgeless"} if g.n and not g.edges else set())
            found.update("loop" for u, v in g.edges if u == v)
            found.update({"repeat"} if len(set(g.edges)) < len(g.edges) else set())
            found.update("reversed" for u, v in g.edges if u != v and (v, u) in g.edges)

    look()
    assert found == {"empty", "edgeless", "loop", "repeat", "reversed"}


def test_full_batches_have_every_column():
    found = set()

    @settings(max_examples=100)
    @given(full_batches())
    def look(graphs):
        columns = ("node_names", "ids", "node_attribute_names", "edge_attribute_names", "directed")
        found.update(name for name in columns if getattr(graphs, name))

    look()
    assert len(found) == 5
