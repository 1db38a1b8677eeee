"""Archives keep arrays as they are, and are refused when anything is wrong with them."""

import hashlib
import io
import json
import os
import zipfile
from unittest.mock import MagicMock

import numpy as np
import pytest

import grafik
from grafik.system import archive, memory
from grafik.system.archive import is_safetensors, read_archive, write_archive


def test_every_bit_of_an_archive_is_guarded_or_plays_no_part(tmp_path):
    path, broken = tmp_path / "whole", tmp_path / "flipped"
    write_archive(path, "x", {"n": [1, "two"]}, {"a": np.arange(3)})
    whole, expected = path.read_bytes(), repr(read_archive(path))
    refused = 0
    for place in range(len(whole)):
        for bit in range(8):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            broken.write_bytes(changed)
            try:
                assert repr(read_archive(broken)) == expected
            except ValueError as error:
                assert "flipped" in str(error)  # noqa: PT017
                refused += 1
    assert refused > 4 * len(whole)


def test_a_file_that_does_not_fit_in_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "large"
    write_archive(path, "x", {}, {})
    os.truncate(path, 10_000_000)
    monkeypatch.setattr(memory, "available", lambda: 19e6)
    with pytest.raises(MemoryError, match=r"reading .*large takes 20.0 MB, but only 19.0 MB"):
        read_archive(path)
    monkeypatch.setattr(memory, "available", lambda: 21e6)
    with pytest.raises(ValueError, match="large is damaged"):
        read_archive(path)


def test_a_manifest_is_larger_in_memory_than_on_disk(tmp_path, monkeypatch):
    path = tmp_path / "lists"
    write_archive(path, "x", {"lists": [[]] * 300_000}, {})  # 1.2 MB of text
    monkeypatch.setattr(memory, "available", lambda: 4e7)
    with pytest.raises(MemoryError, match=r"reading manifest.json of .*lists takes 48.0 MB, but"):
        read_archive(path)
    monkeypatch.setattr(memory, "available", lambda: 1e9)
    assert len(read_archive(path).content["lists"]) == 300_000
    full = MagicMock(side_effect=MemoryError)
    monkeypatch.setattr("json.loads", full)
    with pytest.raises(MemoryError, match=r"reading .*lists takes more memory than is free; load"):
        read_archive(path)


def test_what_takes_too_much_memory_while_it_is_read_is_named(tmp_path, monkeypatch):
    path = tmp_path / "large"
    write_archive(path, "x", {}, {})
    monkeypatch.setattr(archive, "refuse_what_does_not_fit", MagicMock(side_effect=MemoryError))
    with pytest.raises(
        MemoryError, match=rf"^reading {path} takes more memory than is free; load it where there"
    ):
        read_archive(path)


def test_objects_take_forty_bytes_for_each_of_their_text(tmp_path, monkeypatch):
    path, asked = tmp_path / "lists", []
    write_archive(path, "x", {"lists": [[]] * 100}, {})
    monkeypatch.setattr(archive, "refuse_what_does_not_fit", lambda n, *_: asked.append(n))
    read_archive(path)
    with zipfile.ZipFile(path) as file:
        assert asked == [2.0 * path.stat().st_size, 40.0 * file.getinfo("manifest.json").file_size]


def zipped(path, members, **options):
    with zipfile.ZipFile(path, "w", **options) as file:
        for name, content in members:
            file.writestr(name, content)


def manifest_of(**sums):
    return json.dumps(
        {
            "format": archive.FORMAT,
            "version": archive.VERSION,
            "grafik": grafik.__version__,
            "kind": "x",
            "sha256": sums,
            "content": {},
        }
    )


def test_bombs_lies_and_surprises_are_refused(tmp_path):
    path = tmp_path / "bomb"

    def refused(message):
        with pytest.raises(ValueError, match=f"bomb is damaged: {message}"):
            read_archive(path)

    zipped(path, [("manifest.json", manifest_of()), ("x.npy", bytes(10**7))], compression=8)
    refused("'manifest.json' is compressed")
    zipped(path, [("manifest.json", manifest_of()), ("../x.npy", b"")])
    refused("its manifest and its members differ in")
    zipped(path, [("manifest.json", manifest_of(**{"x.npy": "0" * 64}))])
    refused("its manifest and its members differ in")
    zipped(path, [("manifest.json", manifest_of(**{"x.npy": "0" * 64})), ("x.npy", b"abc")])
    refused("the checksum of x.npy is wrong")
    zipped(path, [("manifest.json", manifest_of()), *((f"{i}.npy", b"") for i in range(2000))])
    refused("it has 2001 members")
    with pytest.warns(UserWarning, match="Duplicate name"):
        zipped(path, [("manifest.json", manifest_of()), ("manifest.json", manifest_of())])
    refused("it has 2 members with 1 names")
    zipped(path, [("manifest.json", manifest_of())])
    whole = path.read_bytes()
    for other in (whole + b"more", b"PK\x03\x04" + whole):
        path.write_bytes(other)
        refused("there are other bytes before or behind the archive")
    # The directory, which is at the end, has both sizes of a member at its byte 20.
    sizes = whole.rindex(b"PK\x01\x02") + 20
    path.write_bytes(whole[:sizes] + (10**9).to_bytes(4, "little") * 2 + whole[sizes + 8 :])
    refused("its members are larger than the file")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (10**12,), }", "malformed node"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }", "in 16 bytes"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (-2, -1), }", "says that it has shape"),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "array of object"),
        ("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 1), }", "in an order that grafik"),
        ("{'descr': '<f8', 'fortran_order': True, 'shape': (2,), }", "in an order that grafik"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (2, True), }", "."),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), ", "."),
        ("__import__('os').system('true')", "."),
    ],
)
def test_headers_of_arrays_are_not_believed(tmp_path, header, message):
    refuse_array(tmp_path / "array", header, 16, message)


def test_strings_without_characters_ask_for_no_memory(tmp_path):
    header = "{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000,), }"
    refuse_array(tmp_path / "array", header, 0, "array of <U0")


def refuse_array(path, header, n_bytes, message):
    text = header.encode().ljust(117) + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(n_bytes)
    sums = {"x.npy": archive.sha256(data).hexdigest()}
    zipped(path, [("manifest.json", manifest_of(**sums)), ("x.npy", data)])
    with pytest.raises(ValueError, match=f"array is damaged: .*({message})"):
        read_archive(path)


def test_what_is_written_has_as_many_arrays_as_can_be_read(tmp_path):
    path, one = tmp_path / "many", np.zeros(1, bool)
    write_archive(path, "x", {}, {f"{i}": one for i in range(999)})
    assert len(read_archive(path).arrays) == 999
    with pytest.raises(
        ValueError, match="cannot hold 1000 arrays: .* at most 999 of them; make do with fewer"
    ):
        write_archive(path, "x", {}, {f"{i}": one for i in range(1000)})
    zipped(path, [("manifest.json", manifest_of()), *((f"{i}.npy", b"") for i in range(1000))])
    with pytest.raises(ValueError, match="it has 1001 members"):
        read_archive(path)


def test_members_have_the_first_date_that_a_zip_can_have(tmp_path):
    write_archive(tmp_path / "a", "x", {}, {"x": np.arange(3)})
    with zipfile.ZipFile(tmp_path / "a") as file:
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_a_safetensors_file_is_told_by_the_object_that_it_begins_with(tmp_path):
    path = tmp_path / "network"
    for length, text, told in (
        (2, b"{}", True),
        (2, b"{}12", True),
        (3, b"{}", False),  # cut off
        (2, b"[]", False),
    ):
        path.write_bytes(length.to_bytes(8, "little") + text)
        assert is_safetensors(path) is told


def test_archives_keep_arrays_as_they_are(tmp_path):
    arrays = {
        "empty": np.zeros((0, 3)),
        "scalar": np.array(7),
        "text": np.array(["a", "längst"]),
        "no text": np.array([""]),
        "columns": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "part": np.arange(10)[::3],
        "bytes of another order": np.arange(3, dtype=">i4"),
    }
    write_archive(tmp_path / "a", "x", {"n": [1, None, "é"]}, arrays)
    found = read_archive(tmp_path / "a")
    assert found.content == {"n": [1, None, "é"]}
    assert found.arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found.arrays[name].dtype == array.dtype
        assert np.array_equal(found.arrays[name], array)
        assert found.arrays[name].shape == array.shape
    with pytest.raises(TypeError, match="an array of object cannot be saved: x"):
        write_archive(tmp_path / "b", "x", {}, {"x": np.array([None])})
    with pytest.raises(ValueError, match="Out of range float values"):
        write_archive(tmp_path / "b", "x", {"x": np.nan}, {})
    assert os.listdir(tmp_path) == ["a"]


def test_what_is_no_archive_of_ours_is_named(tmp_path):
    path = tmp_path / "other"
    with pytest.raises(FileNotFoundError, match="there is no file .*other"):
        read_archive(path)
    ours = json.loads(manifest_of())
    for manifest in ([], {}, {**ours, "format": "another"}):
        zipped(path, [("manifest.json", json.dumps(manifest))])
        with pytest.raises(ValueError, match="other was not saved by grafik: manifest.json is"):
            read_archive(path)
    for version, remedy in ((99, "install a newer grafik"), (-1, "train and save the model again")):
        zipped(path, [("manifest.json", json.dumps({**ours, "version": version}))])
        with pytest.raises(ValueError, match=f"other has format version {version}, .*; {remedy}"):
            read_archive(path)
    for version in (None, "1", True, 1.0):
        zipped(path, [("manifest.json", json.dumps({**ours, "version": version}))])
        with pytest.raises(ValueError, match="other is damaged: manifest.json lacks 'version'"):
            read_archive(path)


def test_arrays_have_the_first_version_of_numpys_format(tmp_path):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.arange(3), (2, 0))
    data = buffer.getvalue()
    manifest = manifest_of(**{"x.npy": hashlib.sha256(data).hexdigest()})
    zipped(tmp_path / "second", [("manifest.json", manifest), ("x.npy", data)])
    with pytest.raises(ValueError, match=r"x.npy has the version \(2, 0\) of NumPy's format"):
        read_archive(tmp_path / "second")
