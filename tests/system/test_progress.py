"""What long work shows on standard error."""

import pytest

from grafik import FiltrationClassifier
from grafik.system.progress import progress_line
from small_models import noisy


@pytest.mark.parametrize("wanted", [False, None])
def test_nothing_is_shown_where_nobody_looks(capsys, wanted):
    with progress_line("choosing", wanted) as say:
        say("the first one")
    assert capsys.readouterr() == ("", "")


def test_a_line_tells_what_is_tried(capsys):
    with progress_line("choosing", True) as say:
        say("the first one")
        say("the last one")
    out, err = capsys.readouterr()
    assert out == ""
    assert "choosing" in err
    assert "the last one" in err


def test_a_search_tells_kernel_and_score(capsys):
    FiltrationClassifier(effort="quick", progress=True).fit(*noisy(20))
    err = " ".join(capsys.readouterr().err.split())
    assert "choosing a kernel" in err
    assert ": best score so far " in err
