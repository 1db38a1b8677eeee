"""Arrays: offsets, hashes, tables, k-means, compiling, checks; nothing here knows a graph."""
