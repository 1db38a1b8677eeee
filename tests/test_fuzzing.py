"""The fuzzer: each kind of bad ending is found and made small; kept findings stay repaired."""

import json
import os
import runpy
from pathlib import Path

import pytest

from fuzzing.cases import FOUND, OUTCOMES, alike, case_of, packed, unpacked
from fuzzing.minimise import minimised

pytestmark = pytest.mark.skipif(os.name == "nt", reason="limits as on POSIX")
RELIABILITY = Path(__file__).parents[1] / "experiments" / "reliability"
_PARQUET = ("compact", "parquet_targets")
KEPT = sorted((Path(__file__).parent / "findings").glob("*.json"))


@pytest.fixture(scope="module")
def guarded():
    return pytest.importorskip("fuzzing.guarded")


@pytest.fixture(scope="module")
def targets():
    return pytest.importorskip("fuzzing.targets").TARGETS


def test_kept_findings_stay_repaired(guarded, targets):
    with guarded.Judge() as judge:
        for path in KEPT:
            kept = json.loads(path.read_text())
            outcome, message = judge(targets[kept["target"]], unpacked(kept["case"]))
            assert outcome == kept["expected"], f"{path.name}: {message}"


@pytest.mark.parametrize("ending", FOUND)
def test_planted_faults_are_found_made_small_and_found_again(
    ending, guarded, targets, tmp_path, monkeypatch, capsys
):
    main = pytest.importorskip("fuzzing.__main__")
    monkeypatch.setattr(main, "FINDINGS", tmp_path)
    monkeypatch.setattr(main, "ROOT", tmp_path)
    name = f"planted-{ending}"
    limit = {"crash": 8, "hang": 4}.get(ending, 40)
    out = tmp_path / "results.json"
    asked = ["--cases", str(limit), "--seed", "3", "--out", str(out), name]
    assert main.main(asked) == 1
    (record,) = json.loads(out.read_text())
    letter = {"crash": b"A", "hang": b"L", "memory": b"M"}.get(ending, ending[:1].upper().encode())
    data = [case_of(targets[name], 3, number)["data"] for number in range(limit)]
    expected = sum(letter in one and b"h" not in one for one in data)
    assert 0 < expected < limit
    assert record["cases"] == sum(record["outcomes"].values()) == limit
    assert record["outcomes"]["refused"] == sum(b"h" in one for one in data)
    assert {e: n for e, n in record["outcomes"].items() if e in FOUND and n} == {ending: expected}
    (file,) = tmp_path.glob("planted-*.json")
    kept = json.loads(file.read_text())
    assert unpacked(kept["case"]) == {"data": letter}
    with guarded.Judge() as judge:
        assert judge(targets[name], unpacked(kept["case"]))[0] == ending
    # What was done is not done again: the next run goes on behind it.
    assert main.main(asked) == 0
    assert "seed 3: 0 cases" in capsys.readouterr().out
    assert json.loads(out.read_text()) == [record]


def test_a_case_is_the_same_whatever_was_done_before(targets):
    for target in targets.values():
        first = case_of(target, 1, 7)
        case_of(target, 1, 8)
        assert repr(case_of(target, 1, 7)) == repr(first)
        assert repr(case_of(target, 2, 7)) != repr(first) or "planted" in target.name


def test_cases_are_written_and_read_again(targets):
    odd = {"a": [(1, True), b"\xff", b"x", "\ud800", 2**70, -0.0, None], "b": {"c": ()}}
    assert repr(unpacked(json.loads(json.dumps(packed(odd))))) == repr(odd)
    for target in targets.values():
        for number in range(5):
            case = case_of(target, 0, number)
            assert repr(unpacked(json.loads(json.dumps(packed(case))))) == repr(case)


def test_small_cases_keep_what_is_asked_for():
    case = {"numbers": list(range(100)), "text": "abcXdef", "n": 10**9, "unused": (1, 2)}

    def remains(one):
        return {3, 77} <= set(one.get("numbers", [])) and "X" in one.get("text", "") and one["n"]

    assert minimised(case, lambda one: "n" in one and remains(one)) == {
        "numbers": [3, 77],
        "text": "X",
        "n": 1,
    }
    assert minimised(case, lambda one: False) == case
    assert len(minimised(case, lambda one: True, tries=1)) == 3


def test_findings_that_differ_only_in_numbers_and_names_are_alike():
    assert alike("wrong", "graph 3 has '1', not 2.5") == alike("wrong", "graph 17 has 'x', not 9")
    assert alike("wrong", "graph 3") != alike("error", "graph 3")
    assert alike("error", "KeyError in x.py, f: 1") != alike("error", "KeyError in y.py, f: 1")


def test_the_page_is_made_from_the_result_files(tmp_path):
    made = runpy.run_path(str(RELIABILITY / "page.py"))
    assert (RELIABILITY / "README.md").read_text() == made["page"](RELIABILITY)
    counts = {**dict.fromkeys(OUTCOMES, 0), "accepted": 1000, "refused": 500, "void": 7}
    about = {"versions": {"numpy": "2"}, "kind": "input", "sources": "0"}
    before = {**counts, "wrong": 9}
    records = [
        {"target": "tu-zip", "seed": 1, "outcomes": before, **about},
        {"target": "tu-zip", "seed": 1, "outcomes": counts, **about},
        {"target": "tu-zip", "seed": 2, "outcomes": {**counts, "hang": 3}, **about},
    ]
    (tmp_path / "fuzz.json").write_text(json.dumps(records))
    page = made["page"](tmp_path)
    assert "3,003 cases; the aim is 1,000,000" in page
    assert "| tu-zip | 3,003 | 2,000 | 1,000 | 0 | 0 | 0 | 0 | 0 | 3 |" in page
    assert "Seeds 1, 2." in page
    assert "The 1 runs before, which are in the file but not in the tables, had 9 cases" in page


def test_descriptions_of_parquet_files_are_taken_apart_and_put_together(targets, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    compact, files = (pytest.importorskip(f"fuzzing.{name}") for name in _PARQUET)
    for number in range(6):
        path = tmp_path / "x.parquet"
        files.batch(number).to_parquet(path, graphs_per_group=3)
        pages, description = compact.split(path.read_bytes())
        assert compact.joined(pages, description) == path.read_bytes()
        about, found = pq.read_metadata(path), {one[0]: one[2] for one in description}
        assert found[3] == about.num_rows
        rows = [{one[0]: one[2] for one in group}[3] for group in found[4]["items"]]
        assert rows == [about.row_group(i).num_rows for i in range(about.num_row_groups)] == [3, 1]
        (at,) = (i for i, one in enumerate(description) if one[0] == 3)
        paths = compact.integers(description)
        assert [at, 2] in paths
        # A number of each length, and a negative one, come back as they were.
        for new in (0, -1, 63, 64, 2**31, 2**63 - 1, -(2**63)):
            description[at][2] = new
            assert compact.split(compact.joined(pages, description)) == (pages, description)
