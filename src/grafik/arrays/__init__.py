"""Arrays: offsets, hashes, hash tables and checks of parameters; nothing here knows a graph."""
