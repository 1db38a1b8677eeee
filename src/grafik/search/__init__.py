"""The most similar graphs, found without a Gram matrix."""
