"""A batch of graphs, and the ways into it and out of it."""
