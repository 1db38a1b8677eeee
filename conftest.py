"""What is not collected: examples that need PyTorch, where it is not installed."""

from importlib.util import find_spec

if find_spec("torch") is None or find_spec("torch_geometric") is None:
    collect_ignore_glob = ["src/grafik/neural/*.py", "docs/neural.md"]
