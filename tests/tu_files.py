"""A small data set as TU files, whole and changed, in folders and in zips."""

import zipfile

SMALL = {  # two triangles and an isolated vertex; edges in both directions
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n2\n",
    "graph_labels": "1\n-1\n",
    "node_labels": "3\n3\n4\n3\n3\n5\n",
    "edge_labels": "0\n0\n1\n1\n2\n2\n0\n0\n",
    "edge_attributes": "1.5\n1.5\n2\n2\n3\n3\n4\n4\n",
    "node_attributes": "1, 2\n3, 4\n5, 6\n7, 8\n9, 1e1\n-1, .5\n",
}


def write(folder, files, name="SMALL"):
    folder.mkdir(parents=True, exist_ok=True)
    for part, text in files.items():
        data = text if isinstance(text, bytes) else text.encode()
        (folder / f"{name}_{part}.txt").write_bytes(data)
    return folder


def changed(**parts):
    """The small data set with some files replaced, or left out where None."""
    return {k: v for k, v in {**SMALL, **parts}.items() if v is not None}


def zipped(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members:
            archive.writestr(name, text)
    return path


def members(prefix="SMALL/"):
    return [(f"{prefix}SMALL_{part}.txt", text) for part, text in SMALL.items()]
