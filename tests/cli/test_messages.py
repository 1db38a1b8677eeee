"""What the command line says beside its results, and how shells complete it."""

import io
import sys
import warnings

import pytest

from command_line import grafik
from grafik import cli
from grafik.cli import messages
from grafik.system.progress import progress_bar


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self):
        return True


def work():
    with progress_bar("working", 1) as advance:
        advance(1)
    messages.remark("a remark")
    warnings.warn("a warning", UserWarning, stacklevel=1)


def test_quiet_leaves_only_results_and_mistakes(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = messages.print_warning
        work()
        said = terminal.getvalue()
        assert "working" in said
        assert "a remark" in said
        assert "grafik: warning: a warning" in said
        assert messages.silence(True) is True
        work()
        assert terminal.getvalue() == said
        messages.print_mistake(ValueError("a mistake"))
    assert terminal.getvalue() == said + "grafik: a mistake\n"


def test_quiet_ends_with_the_command(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "argv", ["grafik", "describe", "csl", "--quiet", "--json"])
    before = list(warnings.filters), warnings.showwarning
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert not end.value.code
    assert sys.stderr is terminal
    assert (list(warnings.filters), warnings.showwarning) == before


def test_quiet_keeps_results(tmp_path):
    model = tmp_path / "csl.model"
    run = grafik("train", "csl", "--weight", "walks", "--out", model, "--quiet")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    loud = grafik("predict", model, "csl")
    assert len(loud.stdout.splitlines()) == 100
    assert grafik("predict", model, "csl", "-q").stdout == loud.stdout
    matrix = tmp_path / "K.npz"
    assert grafik("gram", "csl", "--out", matrix, "-q").stdout == ""
    assert grafik("explain", "csl", 0, 1, "--out", tmp_path / "p.html", "-q").stdout == ""
    assert grafik("gram", "nowhere", "--out", matrix, "-q").returncode == 2


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("grafik tr", ["train"]),
        ("grafik e", ["embed", "explain", "evaluate"]),
        ("grafik train --task ", ["auto", "classify", "regress"]),
        ("grafik search --min", ["--min-similarity"]),
    ],
)
def test_shells_complete_commands_options_and_values(words, expected):
    count = len(words.split(" ")) - 1
    run = grafik(_GRAFIK_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(count))
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.split()) == sorted(expected)


def test_completion_can_be_installed():
    assert "--install-completion" in grafik("--help").stdout
