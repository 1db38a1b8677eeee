"""Text files with one graph or molecule after the other: graph6, pairs, tables and SDF."""

import csv
import gzip
import io
import re
from pathlib import Path
from random import Random
from typing import Any

from grafik import Graphs, datasets

from .cases import Target, Wrong, attempt
from .mutations import edited_bytes, edited_text
from .smiles_reading import smiles_reading

_MOLECULES = ["C", "CCO", "c1ccccc1", "CC(=O)O", "[Na+].[Cl-]", "C#N", "N[C@@H](C)C(=O)O", "O=S=O"]
_ODD_MOLECULES = ["", "X", "c1ccccc", "C(C)(C)(C)(C)C", "NA", "C C", "[13CH4]", "*", "[H][H]", "()"]
_LETTERS = [
    "C",
    "N",
    "o",
    "c",
    "Cl",
    "[nH]",
    "[Fe+2]",
    "[Te]",
    "(",
    ")",
    "1",
    "2",
    "%12",
    "=",
    "#",
    ".",
]
_SPLIT = re.compile("\r\n|\n|\r")


def _text(random: Random, lines: list[str]) -> dict[str, Any]:
    """Return lines as a file that may be damaged, compressed, or both."""
    end = random.choice(("\n", "\n", "\r\n", "\r"))
    data = end.join([*lines, ""] if random.random() < 0.8 else lines).encode()
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        data = edited_text(random, data)
    if random.random() < 0.1:
        data = gzip.compress(data, mtime=0)
        if random.random() < 0.5:
            data = edited_bytes(random, data)
    return {"data": data}


def _decoded(data: bytes) -> str | None:
    """Return the text of a file, None if it has none."""
    try:
        plain = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        return plain.decode("utf-8-sig")
    except Exception:
        return None


# Graphs in graph6 format


def _graph6(random: Random) -> str:
    n = random.choice((0, 1, 2, 3, 5, 8, 62, 63, 64)) if random.random() < 0.5 else 4
    bits = "".join(random.choice("0001") for _ in range(n * (n - 1) // 2))
    bits += "0" * (-len(bits) % 6)
    size = chr(63 + n) if n < 63 else "~" + "".join(chr(63 + (n >> k & 63)) for k in (12, 6, 0))
    return size + "".join(chr(63 + int(bits[i : i + 6], 2)) for i in range(0, len(bits), 6))


def _graph6_reading(text: str) -> tuple[int, list[tuple[int, int]]] | None:
    """Return the number of vertices and the edges of a graph, None if it is at fault."""
    values = [ord(letter) - 63 for letter in text]
    if not values or not all(0 <= value < 64 for value in values):
        return None
    start = 1 if values[0] < 63 else 4 if values[1:2] != [63] else 8
    skipped = {1: 0, 4: 1, 8: 2}[start]
    if len(values) < start:
        return None
    n = 0
    for value in values[skipped:start]:
        n = 64 * n + value
    n_pairs = n * (n - 1) // 2
    if len(values) - start != -(-n_pairs // 6):
        return None
    bits = [value >> k & 1 for value in values[start:] for k in (5, 4, 3, 2, 1, 0)]
    if any(bits[n_pairs:]):
        return None
    pairs = ((u, v) for v in range(n) for u in range(v))
    return n, sorted(pair for pair, bit in zip(pairs, bits, strict=False) if bit)


def make_graph6(random: Random) -> dict[str, Any]:
    """Return a file of graphs."""
    lines = [_graph6(random) for _ in range(random.randint(1, 4))]
    if random.random() < 0.2:
        lines[0] = ">>graph6<<" + lines[0]
    return _text(random, lines)


def check_graph6(case: dict[str, Any], folder: Path) -> None:
    """Compare with a reading in loops."""
    path = folder / "x.g6"
    path.write_bytes(case["data"])
    text, place, expected, bad = _decoded(case["data"]), r"x\.g6", [], set()
    if text is not None:
        lines = [line.removeprefix(">>graph6<<") for line in _SPLIT.split(text)]
        used = max((i for i, line in enumerate(lines, 1) if line), default=0)
        expected = [_graph6_reading(line) for line in lines[:used] if line]
        # A line with nothing but the header may stand anywhere.
        alone = {i for i, line in enumerate(_SPLIT.split(text), 1) if line == ">>graph6<<"}
        readings = enumerate(map(_graph6_reading, lines[:used]), 1)
        bad = {i for i, found in readings if found is None} - alone
        named = [rf"x\.g6, line {i}\b" for i in bad]
        place = "|".join([*named, *([] if used else [r"x\.g6 has no graphs"])]) or "$right"
    found = attempt(lambda: datasets.read_graph6(path), place)
    if text is None or bad:
        raise Wrong(f"read, though lines {sorted(bad)} are at fault")
    mine = [(g.n_nodes, list(map(tuple, g.edges.tolist()))) for g in found]
    if mine != expected:
        raise Wrong(f"read as {mine}, not {expected}")


def make_pairs(random: Random) -> dict[str, Any]:
    """Return a table of pairs of graphs."""
    rows = [["basic", _graph6(random), _graph6(random)] for _ in range(random.randint(1, 3))]
    return _text(random, ["\t".join(row) for row in rows])


def check_pairs(case: dict[str, Any], folder: Path) -> None:
    """Compare with a reading in loops."""
    path = folder / "x.tsv"
    path.write_bytes(case["data"])
    graphs, categories = attempt(
        lambda: datasets.brec(path), r"x\.tsv(, (after )?line \d+:| )|x\.tsv is"
    )
    text = _decoded(case["data"])
    if text is None:
        raise Wrong("read, though it is no text")
    rows = [line.split("\t") for line in _SPLIT.split(text)]
    rows = rows[:-1] if rows[-1] == [""] else rows
    expected = [_graph6_reading(one) for row in rows for one in row[1:]]
    mine = [(g.n_nodes, list(map(tuple, g.edges.tolist()))) for g in graphs]
    if mine != expected or categories.tolist() != [row[0] for row in rows]:
        raise Wrong(f"read as {mine} of {categories}, not {expected}")


# Molecules


def _as_read_in_a_loop(graphs: Graphs, smiles: list[str]) -> None:
    """Refuse graphs that have not the atoms and bonds that the letters say."""
    for number, (graph, text) in enumerate(zip(graphs, smiles, strict=True)):
        molecule = re.sub(r" \|[^|]*\|$", "", text.strip())
        if "H" in re.sub(
            r"(?<=[A-Za-z@*])H", "", molecule
        ):  # hydrogen atoms are left out, but not all
            continue
        mine = list(graph.node_labels or []), list(map(tuple, graph.edges.tolist()))
        if mine != smiles_reading(molecule):
            raise Wrong(f"graph {number} is {mine}, not {smiles_reading(molecule)}")


def _same_molecules(graphs: Graphs, molecules: list[Any]) -> None:
    """Refuse graphs that have not the atoms and bonds that RDKit finds."""
    for number, (graph, molecule) in enumerate(zip(graphs, molecules, strict=True)):
        atoms = [atom.GetSymbol() if atom.GetAtomicNum() else "*" for atom in molecule.GetAtoms()]
        bonds = sorted(
            tuple(sorted((bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())))
            for bond in molecule.GetBonds()
        )
        mine = list(graph.node_labels or []), list(map(tuple, graph.edges.tolist()))
        if mine != (atoms, bonds):
            raise Wrong(f"graph {number} is {mine}, not {(atoms, bonds)}")


def _molecules(random: Random, n: int) -> list[str]:
    found = [random.choice(_MOLECULES) for _ in range(n)]
    if random.random() < 0.3:
        found[random.randrange(n)] = random.choice(_ODD_MOLECULES)
    return found


def make_smiles(random: Random) -> dict[str, Any]:
    """Return SMILES strings, of which some may be damaged."""
    found: list[Any] = _molecules(random, random.randint(1, 3))
    if random.random() < 0.3:
        found[0] = "C" + "".join(random.choices(_LETTERS, k=random.randrange(12)))
    for _ in range(random.choice((0, 1, 2))):
        at = random.randrange(len(found))
        if isinstance(found[at], str):
            found[at] = edited_bytes(random, found[at].encode()).decode("latin-1")
        if random.random() < 0.1:
            found[at] = random.choice((None, 1, 1.5, float("nan"), b"C", []))
    return {"smiles": found}


def check_smiles(case: dict[str, Any], folder: Path) -> None:
    """Compare with a reading in a loop, and with what RDKit reads."""
    from rdkit import Chem

    found = attempt(
        lambda: Graphs.from_smiles(case["smiles"]), r"graph \d+|list of", (ValueError, TypeError)
    )
    _as_read_in_a_loop(found, case["smiles"])
    _same_molecules(found, [Chem.MolFromSmiles(one.strip()) for one in case["smiles"]])


def make_csv(random: Random) -> dict[str, Any]:
    """Return a table of molecules."""
    mark = random.choice(",,;\t|")
    rows = [["name", "smiles", "y"]]
    for number, smiles in enumerate(_molecules(random, random.randint(1, 4))):
        target = (
            random.choice(("1", "2.5", "-3e2", "a", "NA", "")) if random.random() < 0.2 else "7"
        )
        rows.append([f"m{number}", smiles, target])
    if random.random() < 0.2:
        rows = [[f'"{field}"' for field in row] for row in rows]
    target, known = random.choice((None, "y")), random.choice((None, "name"))
    return {**_text(random, [mark.join(row) for row in rows]), "target": target, "id": known}


def check_csv(case: dict[str, Any], folder: Path) -> None:
    """Compare with what Python's csv and RDKit read."""
    from rdkit import Chem

    path = folder / "x.csv"
    path.write_bytes(case["data"])
    how = {"target": case["target"], "id": case["id"]}
    graphs, y = attempt(lambda: datasets.read_csv(path, **how), r"x\.csv(, |\b)")
    text = _decoded(case["data"])
    if text is None:
        raise Wrong("read, though it is no text")
    lines = list(io.StringIO(text, newline=""))
    while not lines[0].strip():
        del lines[0]
    tables = [_rows(lines, mark) for mark in ",;\t|"]
    rows = max(tables, key=lambda rows: ("smiles" in rows[0], len(rows[0])))
    names = rows[0]
    body = [row for row in rows[1:] if "".join(row).strip()]
    molecules = [row[names.index("smiles")] for row in body]
    _as_read_in_a_loop(graphs, molecules)
    _same_molecules(graphs, [Chem.MolFromSmiles(one) for one in molecules])
    if case["id"] and [row[names.index("name")] for row in body] != list(graphs.ids):
        raise Wrong(f"ids are {graphs.ids}")
    if case["target"]:
        given = [row[names.index("y")] for row in body]
        if list(map(str, y)) != given and list(map(float, y)) != list(map(float, given)):
            raise Wrong(f"targets are {y}, not {given}")


def _rows(lines: list[str], mark: str) -> list[list[str]]:
    try:
        rows = list(csv.reader(lines, delimiter=mark, skipinitialspace=True, strict=True))
    except csv.Error:
        return [[]]
    return [[field.strip() for field in row] for row in rows]


def make_sdf(random: Random) -> dict[str, Any]:
    """Return an SDF file, from blocks that RDKit wrote."""
    from rdkit import Chem

    lines = []
    for number in range(random.randint(1, 3)):
        block = Chem.MolToMolBlock(Chem.MolFromSmiles(random.choice(_MOLECULES)))
        lines += [*block.rstrip("\n").split("\n"), "> <y>", str(number), "", "$$$$"]
    return {**_text(random, lines), "target": random.choice((None, "y"))}


def check_sdf(case: dict[str, Any], folder: Path) -> None:
    """Compare with what RDKit reads of each record."""
    from rdkit import Chem, rdBase

    path = folder / "x.sdf"
    path.write_bytes(case["data"])
    graphs, _ = attempt(lambda: datasets.read_sdf(path, target=case["target"]), r"x\.sdf(, |\b)")
    text = _decoded(case["data"])
    if text is None:
        raise Wrong("read, though it is no text")
    records: list[list[str]] = [[]]
    for line in _SPLIT.split(text):
        if line.startswith("$$$$"):
            records.append([])
        else:
            records[-1].append(line)
    blocks = ["\n".join(lines) for lines in records if any(line.strip() for line in lines)]
    with rdBase.BlockLogs():
        _same_molecules(graphs, [Chem.MolFromMolBlock(block) for block in blocks])


TARGETS = [
    Target("graph6", "input", make_graph6, check_graph6),
    Target("graph6-pairs", "input", make_pairs, check_pairs),
    Target("smiles", "input", make_smiles, check_smiles),
    Target("csv", "input", make_csv, check_csv),
    Target("sdf", "input", make_sdf, check_sdf),
]
