"""The names of columns, for conversions back."""

ALL = {
    "node_label": "label",
    "edge_label": "label",
    "node_attribute": "attribute",
    "edge_attribute": "attribute",
}


def names(graphs, **others):
    """The names of the columns that a batch has, for the conversion back."""
    columns = ("node_labels", "edge_labels", "node_attributes", "edge_attributes")
    there = [c for c in columns if getattr(graphs, c) is not None and len(getattr(graphs, c))]
    chosen = {c[:-1]: ALL[c[:-1]] for c in there}
    return {"node_label": None, **chosen, **others}
