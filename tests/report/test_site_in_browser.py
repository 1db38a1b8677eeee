"""What the documentation site adds to its theme, in a browser."""

import shutil
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "docs" / "assets" / "iframe-worker.js"


def test_a_page_on_disk_has_a_worker_that_answers_in_order(chromium, tmp_path):
    shutil.copy(SCRIPT, tmp_path)
    (tmp_path / "worker.js").write_text(
        'addEventListener("message", async ({ data }) => postMessage(2 * data));'
    )
    (tmp_path / "page.html").write_text('<body><script src="iframe-worker.js"></script></body>')
    context = chromium.new_context()
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    answers = page.evaluate("""() => new Promise((done) => {
        const worker = new Worker("worker.js"), found = [];
        worker.addEventListener("message", ({ data }) => {
            found.push(data);
            if (found.length === 3) done(found);
        });
        for (const number of [1, 2, 3]) worker.postMessage(number);
    })""")
    context.close()
    assert answers == [2, 4, 6]
