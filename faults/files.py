"""What is in a folder, and whether it may be there after a fault."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

# The bytes of each file by its path; folders have None.
Tree: TypeAlias = dict[str, bytes | None]

_TIMINGS = "timings.jsonl"


def tree_of(folder: Path) -> Tree:
    """Return all that is in a folder, but for files that tell times."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir():
            found[name] = None
        elif path.name != _TIMINGS:
            found[name] = path.read_bytes()
    return found


def put(tree: Tree, folder: Path) -> None:
    """Write files to an empty folder."""
    for name, content in tree.items():
        if content is None:
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(content)


def clear(folder: Path) -> None:
    """Delete all that is in a folder; it may be a mount, which cannot be deleted itself."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()


def difference(found: Tree, wanted: Tree) -> str | None:
    """Say what differs between two folders; None if nothing does."""
    for name in sorted({*found, *wanted}):
        if name not in wanted:
            return f"{name} is left over"
        if name not in found:
            return f"{name} is missing"
        if found[name] != wanted[name]:
            here, there = (len(tree[name] or b"") for tree in (found, wanted))
            return f"{name} differs ({here} bytes, {there} expected)"
    return None


def damage(found: Tree, before: Tree, wanted: Sequence[Tree], at_once: bool) -> str | None:
    """Say which file is neither as it was nor as it is to be; None if all are.

    Unfinished files, which are hidden or in a folder whose name ends with ``.part``, may hold
    anything. Journals hold whole lines of the finished one, and perhaps the start of one more.

    Parameters
    ----------
    found, before : Tree
        After the fault, and before the operation.
    wanted : sequence of Tree
        What undisturbed operations write, those that took part.
    at_once : bool
        Whether all files appear together, as a folder.
    """
    finished = {name: content for name, content in found.items() if not _is_unfinished(name)}
    for name, content in finished.items():
        known = [tree[name] for tree in wanted if name in tree]
        if content is None or content in (before.get(name), *known):
            continue
        if name.endswith(".jsonl") and any(_is_begun(content, one or b"") for one in known):
            continue
        return f"{name} is neither as it was nor as it is to be ({len(content)} bytes)"
    for name in before:
        if name not in found:
            return f"{name} is gone"
    files = {name for name, content in wanted[0].items() if content is not None}
    if at_once and any(finished.values()) and not files <= finished.keys():
        return f"only {sorted(name for name in finished if finished[name])} are there"
    return None


def _is_unfinished(name: str) -> bool:
    parts = Path(name).parts
    return any(part.startswith(".") or part.endswith(".part") for part in parts)


def _is_begun(content: bytes, wanted: bytes) -> bool:
    """Whether a journal has only lines of the finished one, and perhaps a part of one."""
    lines = wanted.splitlines(keepends=True)
    *whole, last = content.splitlines(keepends=True) or [b""]
    return all(line in lines for line in whole) and any(line.startswith(last) for line in lines)


def size(tree: Tree) -> int:
    """Return the bytes of all files."""
    return sum(len(content) for content in tree.values() if content)


def is_root() -> bool:
    """Whether permissions do not bind this process, and it may mount disks."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
