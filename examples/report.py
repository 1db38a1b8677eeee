"""A report on small molecules of three kinds: one page with a map of them, for a browser.

    python examples/report.py [FOLDER] [PICTURE]

Needs grafik[molecules]; writes report.html to the folder. With a second argument, such as
docs/report.png, it also makes a picture of a part of the page, for which it needs playwright and
Chromium.
"""

import shutil
import sys
from pathlib import Path

from grafik import Graphs
from grafik.evaluation import PROTOCOLS, evaluate
from grafik.report import write_report

# fmt: off
KINDS = {
    "acid": [
        "OC=O", "CC(=O)O", "CCC(=O)O", "CCCC(=O)O", "CC(C)C(=O)O", "CCCCC(=O)O", "CC(C)(C)C(=O)O",
        "OC(=O)C(=O)O", "OC(=O)CC(=O)O", "OC(=O)CCC(=O)O", "OC(=O)CCCCC(=O)O", "C=CC(=O)O",
        "CC=CC(=O)O", "OC(=O)c1ccccc1", "OC(=O)Cc1ccccc1", "OC(=O)C1CCCCC1", "CC(O)C(=O)O",
        "OC(=O)c1ccccc1O",
    ],
    "alcohol": [
        "CO", "CCO", "CCCO", "CC(C)O", "CCCCO", "CC(C)CO", "CC(C)(C)O", "CCC(C)O", "CCCCCO",
        "OCCO", "OCC(O)CO", "OCCCO", "CC(O)CO", "OC1CCCCC1", "OC1CCCC1", "C=CCO", "C#CCO",
        "OCc1ccccc1", "OCCc1ccccc1",
    ],
    "amine": [
        "CN", "CCN", "CNC", "CCCN", "CC(C)N", "CN(C)C", "CCNCC", "CCCCN", "CC(C)(C)N", "NCCN",
        "NCCCN", "NC1CCCCC1", "C1CCNCC1", "C1CCNC1", "Nc1ccccc1", "CNc1ccccc1", "NCc1ccccc1",
        "NCCc1ccccc1", "CN(C)c1ccccc1",
    ],
}
# fmt: on

graphs = Graphs.from_smiles([smiles for kind in KINDS.values() for smiles in kind])
classes = [name for name, kind in KINDS.items() for _ in kind]

protocol = PROTOCOLS["quick"].with_values(n_splits=5)
results = evaluate("fwl-d,wl,sp", graphs, classes, protocol=protocol)
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
options = {"results": results, "name": "Small molecules"}
page = write_report(folder / "report.html", graphs, classes, **options)
print(f"open {page} in a browser")

if len(sys.argv) > 2:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = {"executable_path": shutil.which("chromium"), "args": ["--no-sandbox"]}
        browser = playwright.chromium.launch(**program)
        size = {"width": 1160, "height": 900}
        # While the page scrolls by itself, a pointer would miss what it is to point at.
        shown = browser.new_page(viewport=size, reduced_motion="reduce")
        shown.goto(page.resolve().as_uri())
        for which, graph in (("First", 17), ("Second", 35)):
            shown.fill(f"input[aria-label='{which} graph']", str(graph))
        shown.click(".by-name button")
        shown.locator("[data-graph='17']").hover(force=True)
        shown.locator("#pair button.feature", has_text="C(2xC)").first.click()
        shown.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        top = shown.locator("#map").bounding_box()
        end = shown.locator(".pair-graphs").bounding_box()
        clip = {"x": 0, "y": top["y"] - 24, "width": 1160}
        clip["height"] = end["y"] + end["height"] - top["y"] + 48
        shown.screenshot(path=sys.argv[2], full_page=True, clip=clip)
        browser.close()
    print(f"see {sys.argv[2]}")
