"""Folders of loops that numba has compiled: copies of them, with loops missing or damaged."""

import os
import shutil
import tempfile
from pathlib import Path
from random import Random


def copied(folder: Path, base: Path) -> Path:
    """Return a copy whose files are links; what is changed is replaced, and so the copy's own."""
    made = Path(tempfile.mkdtemp(prefix="cache-", dir=base))
    shutil.copytree(folder, made, copy_function=os.link, dirs_exist_ok=True)
    return made


def forget(folder: Path, random: Random) -> int:
    """Delete some loops, so that they are compiled again; return how many."""
    indexes = sorted(folder.rglob("*.nbi"))
    chosen = random.sample(indexes, min(random.randrange(1, 4), len(indexes)))
    for index in chosen:
        # Of its two files the second stays sometimes, as a kill between both leaves them.
        index.unlink()
        if random.random() < 0.5:
            for data in index.parent.glob(f"{index.stem}.*.nbc"):
                data.unlink()
    return len(chosen)


def damage(folder: Path, random: Random) -> str:
    """Damage some files in some way, and say how."""
    files = sorted([*folder.rglob("*.nbi"), *folder.rglob("*.nbc")])
    chosen = random.sample(files, min(random.randrange(1, 4), len(files)))
    told = []
    for path in chosen:
        content = bytearray(path.read_bytes())
        way = random.choice(["cut", "emptied", "changed", "overwritten", "another's"])
        if way == "cut":
            del content[random.randrange(len(content)) :]
        elif way == "emptied":
            content.clear()
        elif way == "changed":
            content[random.randrange(len(content))] ^= 1 << random.randrange(8)
        elif way == "overwritten":
            content[:] = random.randbytes(len(content))
        else:
            others = [one for one in files if one.suffix == path.suffix and one != path]
            content[:] = random.choice(others).read_bytes()
        path.unlink()
        path.write_bytes(content)
        told.append(f"{path.name} {way}")
    return ", ".join(told)
