"""What a long command says when it ends early."""

import errno
import sys

import pytest

from grafik.cli.long_work import resumable


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder for results, which is in the command."""
    monkeypatch.setattr(sys, "argv", ["grafik", "evaluate", "MUTAG", "--out", "some where"])
    return tmp_path / "some where"


FULL = OSError(errno.ENOSPC, "No space left on device")
NO_SUCH = OSError("there is no file")


@pytest.mark.parametrize(
    ("error", "kept", "told"),
    [
        (KeyboardInterrupt(), None, "nothing was kept; with --out DIR it can be continued"),
        (KeyboardInterrupt(), False, "nothing was done yet"),
        (
            KeyboardInterrupt(),
            True,
            "what is done is kept; to go on: grafik evaluate MUTAG --out 'some where'",
        ),
        (SystemExit(143), False, "nothing was done yet"),
        (FULL, None, "nothing was kept; with --out DIR it can be continued"),
        (FULL, False, ""),
        (FULL, True, "what is done is kept; to go on: grafik evaluate MUTAG --out 'some where'"),
        (NO_SUCH, None, ""),
        (NO_SUCH, True, ""),
        (ValueError(), True, ""),
    ],
    ids=repr,
)
def test_it_says_how_to_go_on_where_that_helps(folder, capsys, error, kept, told):
    if kept is not None:
        folder.mkdir()
    if kept:
        (folder / "results.jsonl").touch()
    with pytest.raises(type(error)), resumable(None if kept is None else folder):
        raise error
    assert capsys.readouterr().err.strip() == told


def test_it_says_nothing_when_all_is_done(folder, capsys):
    with resumable(folder):
        pass
    assert capsys.readouterr().err == ""
