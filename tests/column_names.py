"""The names of columns, for conversions to other libraries and back."""

from grafik import Graphs

LABELS = ("node_labels", "edge_labels")
ATTRIBUTES = ("node_attributes", "edge_attributes")
COLUMNS = ("node_ptr", "edge_ptr", "edges", "directed", "node_names", "ids", *LABELS, *ATTRIBUTES)


def there(graphs, column):
    """Whether a batch has rows of a column."""
    return getattr(graphs, column) is not None and len(getattr(graphs, column)) > 0


def attribute_names(graphs, column, name="attribute"):
    """What a conversion calls the columns of attributes."""
    width = getattr(graphs, column).shape[1]
    own = getattr(graphs, f"{column[:-1]}_names")
    return own or ((name,) if width == 1 else tuple(f"{name}[{i}]" for i in range(width)))


def named(graphs):
    """The same graphs with the names for attributes that they get in other libraries."""
    columns = {name: getattr(graphs, name) for name in COLUMNS}
    for column in ATTRIBUTES:
        if there(graphs, column):
            columns[f"{column[:-1]}_names"] = attribute_names(graphs, column)
    return Graphs(**columns)


def names(graphs, **others):
    """What to ask for in the conversion back, so that nothing is asked for in vain."""
    chosen = {c[:-1]: "label" if there(graphs, c) else None for c in LABELS}
    for column in ATTRIBUTES:
        own = getattr(graphs, f"{column[:-1]}_names")
        chosen[column[:-1]] = (own or "attribute") if there(graphs, column) else None
    return {**chosen, **others}
