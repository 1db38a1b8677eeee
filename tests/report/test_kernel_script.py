"""The script of a page has the base kernel of the library; node runs it, without a browser."""

import json
import shutil
import subprocess
from importlib.resources import files
from itertools import product

import pytest
from numpy.testing import assert_allclose

from grafik.kernels.base_kernel import exponential

# Two single edges, of which one enters at the first of two levels and one at the second. Both have
# the feature "*(*)", half of whose mass is moved by the gap between the levels.
PROGRAM = """
const { readFileSync } = require("fs");
const script = readFileSync(process.argv[1], "utf8");
const explain = new Function("document", `${script}; return explain(0, 1);`);
const graphs = [0, 1].map((level) => ({ n: 2, m: 1, edges: [0, 1], levels: [level] }));
const found = JSON.parse(readFileSync(0, "utf8")).map(([distance, gamma]) => {
  const kernel = { depth: 1, alphas: [1, 0], axis: [2 * distance, 0], length: 1, gamma,
    combine: "sum", normalize: false, shown: [2, 2] };
  const data = { textContent: JSON.stringify({ kernel, graphs }) };
  const { features } = explain({ getElementById: () => data });
  const { distance: told, contribution, masses } = features.find((one) => one.name === "*(*)");
  return [told, contribution / (masses[0] * masses[1])];
});
console.log(JSON.stringify(found));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no node: apt install nodejs")
def test_the_base_kernel_of_the_page_is_that_of_the_library():
    distances = [0.0, 1e-12, 1e-3, 0.1, 1 / 3, 0.5, 0.75, 1.0, 2.5, 17.0, 700.0, 1e4]
    gammas = [0.0, 1e-9, 0.01, 0.3, 1.0, 5.0, 100.0, 1e6, 1e308]
    cases = list(product(distances, gammas))
    script = files("grafik.report").joinpath("assets", "kernel.js")
    command = [shutil.which("node"), "-e", PROGRAM, str(script)]
    run = subprocess.run(
        command, input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    told, base = zip(*json.loads(run.stdout), strict=True)
    assert_allclose(told, [distance for distance, _ in cases], rtol=1e-15)
    # What is smaller than the least normal float, the library takes for nothing.
    assert_allclose(base, [exponential(*case) for case in cases], rtol=1e-12, atol=1e-300)
    assert sum(0.001 < one < 0.999 for one in base) > 20
