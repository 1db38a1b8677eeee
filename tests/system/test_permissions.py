"""Permissions of what is written: those of what it replaces, or those of anything new."""

import os

import pytest

from grafik import FiltrationKernel, datasets
from grafik.system.files import replacing

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_a_written_file_has_the_permissions_of_an_ordinary_new_one(tmp_path, mask):
    before = os.umask(mask)
    try:
        with replacing(tmp_path / "ours") as part:
            part.write_text("whole")
        (tmp_path / "ordinary").touch()
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    modes = {(tmp_path / name).stat().st_mode for name in ("ours", "ordinary")}
    assert len(modes) == 1


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o644, 0o666])
def test_a_replaced_file_keeps_its_permissions_also_behind_a_link(tmp_path, bits):
    (tmp_path / "secret").touch()
    (tmp_path / "secret").chmod(bits)
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    kernel = FiltrationKernel().fit(datasets.csl(copies=1)[0])
    for name in ("secret", "link"):
        kernel.save(tmp_path / name)
        assert (tmp_path / "secret").stat().st_mode & 0o7777 == bits


@pytest.mark.skipif(getattr(os, "getuid", int)() != 0, reason="only root may give files away")
def test_a_replaced_file_stays_with_its_group(tmp_path):
    (tmp_path / "shared").touch()
    os.chown(tmp_path / "shared", -1, 4321)
    (tmp_path / "shared").chmod(0o660)
    with replacing(tmp_path / "shared") as part:
        part.write_text("new")
    found = (tmp_path / "shared").stat()
    assert (found.st_gid, found.st_mode & 0o777) == (4321, 0o660)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_new_folder_and_a_new_file_have_what_the_mask_leaves(tmp_path, mask):
    graphs, y = datasets.csl(copies=1)
    before = os.umask(mask)
    try:
        datasets.write_tu(tmp_path / "SET", graphs, y)
        graphs.to_parquet(tmp_path / "file")
    finally:
        os.umask(before)
    assert (tmp_path / "SET").stat().st_mode & 0o777 == 0o777 & ~mask
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o666 & ~mask


def test_the_owner_of_what_is_written_stays(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(os, "chown", lambda path, owner, group: asked.append((owner, group)))
    (tmp_path / "note").touch()
    with replacing(tmp_path / "note") as part:
        part.write_text("new")
    assert asked == [(-1, (tmp_path / "note").stat().st_gid)]
