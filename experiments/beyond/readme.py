"""Write the table of the default model into the project's README, from the results of this folder.

python experiments/beyond/readme.py
"""

from pathlib import Path

from grafik.reproduction.beyond_table import block, replaced

ROOT = Path(__file__).parents[2]


def main() -> None:
    """Replace the block between the two marks."""
    readme = ROOT / "README.md"
    readme.write_text(replaced(readme.read_text(), block(ROOT / "experiments")))


if __name__ == "__main__":
    main()
