"""Packages that only some users need."""

import pytest

from grafik.system.optional import require


def test_a_package_that_is_there_but_cannot_be_imported_is_not_called_missing(
    tmp_path, monkeypatch
):
    (tmp_path / "broken_package.py").write_text("raise ImportError('no room for its library')")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        ImportError,
        match=r"^drawing needs broken_package, which cannot be imported \(no room for its .*\); "
        r"unless memory is scarce, install it anew: pip install --force-reinstall 'broken'$",
    ):
        require("broken_package", "drawing", "broken")
