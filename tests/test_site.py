"""The site: every public name has an entry, every link of a page leads somewhere."""

import doctest
import importlib
import json
import pkgutil
import re
import runpy
from pathlib import Path

import pytest

import grafik
from website import check, links

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "experiments/README.md"]
)
REFERENCE = {
    name
    for path in (ROOT / "docs" / "reference").glob("*.md")
    for name in re.findall(r"^::: ([\w.]+)$", path.read_text(), re.MULTILINE)
}
EVERY = re.MULTILINE | re.DOTALL
# Rooms and modules whose names are public.
PUBLIC = [name for name in grafik.__all__ if name in {"baselines", "datasets", "distributed"}]
PUBLIC += ["evaluation", "features", "neural", "plots", "report", "weights"]


def test_every_public_name_is_in_the_reference():
    wanted = {f"grafik.{name}" for name in grafik.__all__}
    for room in PUBLIC:
        module = importlib.import_module(f"grafik.{room}")
        wanted |= {f"grafik.{room}.{name}" for name in module.__all__}
    # Modules that are imported under a shorter name.
    shorter = {f"grafik.{name}": f"grafik.{module}" for name, module in grafik._MODULES.items()}
    assert {shorter.get(name, name) for name in wanted} - REFERENCE == set()


def test_every_name_that_pages_import_is_in_the_reference():
    entries = {name.rpartition(".")[2] for name in REFERENCE}
    for page in PAGES:
        for module, names in re.findall(
            r"^(?:>>> )?from (grafik[\w.]*) import (.+)$", (ROOT / page).read_text(), re.MULTILINE
        ):
            missing = {name.split(" as ")[0] for name in names.split(", ")} - entries
            assert missing == set(), f"{page} imports {missing} from {module}"


def test_the_reference_names_what_exists():
    for name in REFERENCE:
        module, _, last = name.rpartition(".")
        if module == "grafik.neural":  # needs PyTorch
            assert last in grafik.neural.__all__
        else:
            assert pkgutil.resolve_name(name) is not None


@pytest.mark.parametrize("page", PAGES)
def test_links_of_pages_lead_to_files_and_headings(page):
    for target, anchor in links.targets((ROOT / page).read_text(), page):
        assert (ROOT / target).exists(), f"{page} links to {target}"
        if anchor.startswith("grafik."):  # an entry of the reference
            assert f"::: {anchor}\n" in (ROOT / target).read_text(), f"{page}: #{anchor}"
        elif anchor and target.endswith(".md"):
            assert anchor in links.anchors((ROOT / target).read_text()), f"{page}: #{anchor}"
        elif anchor:  # a function of a source file
            assert re.search(rf"^(def|class) {anchor}\b", (ROOT / target).read_text(), re.MULTILINE)


def test_every_page_is_in_the_navigation():
    listed = re.findall(
        r"^ +- (?:.*: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE
    )
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    pages += [f"notebooks/{path.stem}.md" for path in (ROOT / "notebooks").glob("*.py")]
    assert sorted(set(pages) - set(listed)) == []
    assert len(set(listed)) == len(listed)


def test_searching_from_disk_loads_nothing_from_the_network():
    settings = (ROOT / "mkdocs.yml").read_text()
    assert "\n  - offline\n" in settings
    (script,) = re.findall(r"^  polyfills: \[(.*)\]$", settings, re.MULTILINE)
    assert "iframe-worker" in script  # the plugin adds one from elsewhere unless it is called so
    assert (ROOT / "docs" / script).exists()


def test_the_gallery_shows_every_plot():
    text = (ROOT / "docs" / "gallery.md").read_text()
    assert sorted(re.findall(r"^## (\w+)$", text, re.MULTILINE)) == grafik.plots.__all__


@pytest.mark.parametrize("page", PAGES)
def test_code_that_is_only_shown_is_code(page):
    for block in re.findall(r"^```python\n(?!>>>)(.*?)^```", (ROOT / page).read_text(), EVERY):
        compile(block, page, "exec")
        for module, names in re.findall(r"^from (grafik[\w.]*) import (.+)$", block, re.MULTILINE):
            for name in names.split(", "):
                assert pkgutil.resolve_name(f"{module}:{name}") is not None


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().split()) < 900


def test_the_page_of_experiments_says_what_the_results_say():
    script = runpy.run_path(str(ROOT / "experiments" / "page.py"))
    text = (ROOT / "docs" / "experiments.md").read_text()
    assert script["page"](text) == text  # if not: python experiments/page.py
    with pytest.raises(ValueError, match="needs one line <!-- data:start -->"):
        script["page"]("# Experiments\n")


@pytest.mark.parametrize(
    "name",
    [
        *("EGO-1-plain", "IMDB-BINARY-plain", "IMDB-BINARY-normalised"),
        *("NCI1-plain", "NCI1-all-values"),
    ],
)
def test_what_explains_a_difference_is_what_was_measured(name):
    folder = f"experiments/normalisation/{name}"
    (score,) = json.loads((ROOT / folder / "summary.json").read_text())["scores"]
    text = (ROOT / "docs" / "experiments.md").read_text().split(f"(../{folder}/")[1]
    assert f"{score['accuracy']:.2f} %" in text[:200]


def test_data_sets_have_the_numbers_that_the_page_shows(data):
    script = runpy.run_path(str(ROOT / "experiments" / "data_sets" / "measure.py"))
    known = json.loads(script["RESULT"].read_text())["sets"]
    for name in ("MUTAG", "PTC_MR", "EGO-1"):
        assert script["counted"](data / name) == known[name]


def test_links_are_moved_with_the_pages():
    assert doctest.testmod(links).failed == 0
    code = "```\n[a](b.md)\n```\n"
    assert links.relinked(f"{code}[a](../../CHANGELOG.md#b)", "docs/reference/x.md") == (
        f"{code}[a](../changelog.md#b)"
    )


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ('<a href="b.html#c">', []),
        ('<a href="#d" id="d">', []),
        ('<a href="https://x.y">', []),
        ('<a href="c.html">', ["a.html links to c.html, which is not there"]),
        ('<a href="../c.html">', ["a.html links to ../c.html, which is not there"]),
        ('<a href="b.html#d">', ["a.html links to b.html#d, but there is no such anchor"]),
        ('<script src="https://x.y/z.js"></script>', ["a.html loads https://x.y/z.js"]),
        ('<link href="//x.y/z.css">', ["a.html loads //x.y/z.css"]),
    ],
)
def test_what_is_wrong_with_a_built_page_is_said(html, said, tmp_path):
    (tmp_path / "a.html").write_text(html)
    (tmp_path / "b.html").write_text('<p id="c">')
    assert list(check.mistakes(tmp_path)) == said
