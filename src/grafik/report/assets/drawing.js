// Elements, graphs and barcodes. Whatever comes from the data goes in as text.

const SVG = "http://www.w3.org/2000/svg";
const KINDS = 8;

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function refill(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const bringIntoView = (element, block = "nearest") =>
  element.scrollIntoView({ block, behavior: calm.matches ? "auto" : "smooth" });

const plural = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

function number(value, digits = 4) {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return `${value < 0 ? "\u2212" : ""}\u221e`;
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(digits)));
}

// Part of the largest one; beside something infinite all else is nothing.
const part = (value, most) => (Number.isFinite(most) ? value / (most || 1) : Number(value === most));

const percent = (value, digits = 1) => `${(100 * value).toFixed(digits)} %`;

// Shapes of about the same area around (x, y), one for each of the first classes.
const SHAPES = [
  (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  (r) => `M${-0.9 * r} ${-0.9 * r}h${1.8 * r}v${1.8 * r}h${-1.8 * r}Z`,
  (r) => `M0 ${-1.3 * r}L${1.2 * r} ${0.9 * r}H${-1.2 * r}Z`,
  (r) => `M0 ${-1.3 * r}L${1.3 * r} 0L0 ${1.3 * r}L${-1.3 * r} 0Z`,
  (r) => `M0 ${1.3 * r}L${1.2 * r} ${-0.9 * r}H${-1.2 * r}Z`,
  (r) => {
    const [a, b] = [0.42 * r, 1.25 * r];
    return `M${-a} ${-b}h${2 * a}v${b - a}h${b - a}v${2 * a}h${a - b}v${b - a}h${-2 * a}`
      + `v${a - b}h${a - b}v${-2 * a}h${b - a}Z`;
  },
];

const shapeOf = (code, r) => SHAPES[(code + Math.floor(code / KINDS)) % SHAPES.length](r);
const colourOf = (code) => (data.classes && data.classes.word === "target"
  ? `scale${code % 5}` : `colour${code % KINDS}`);

function mark(code, r = 5) {
  const size = 2 * r + 4;
  return svg("svg", { class: "mark", width: size, height: size, "aria-hidden": "true",
    viewBox: `${-size / 2} ${-size / 2} ${size} ${size}` },
  svg("path", { d: shapeOf(code, r), class: colourOf(code) }));
}

// Where the lines of a bond lie beside its middle, and whether they are dotted: one line, two,
// three, and aromatic.
const BONDS = [[[0, false]], [[-0.5, false], [0.5, false]], [[-1, false], [0, false], [1, false]],
  [[0, false], [1, true]]];
const bondLines = (graph, e) => BONDS[graph.bonds ? Number(graph.bonds[e]) - 1 : 0];

// Draw a graph: thick edges enter early. `shade` colours vertices from 0 to 1, `chosen` are marked,
// and edges that come after `level` are dotted.
function drawGraph(graph, { shade = null, chosen = null, level = nLevels - 1, label } = {}) {
  if (!graph.at || !graph.n) {
    return el("p", { class: "empty" }, graph.n
      ? `Too large to be drawn here: ${plural(graph.n, "vertex", "vertices")}, ${plural(graph.m, "edge")}.`
      : "A graph without vertices.");
  }
  const xs = graph.at.filter((_, i) => i % 2 === 0);
  const ys = graph.at.filter((_, i) => i % 2 === 1).map((y) => -y);
  const low = [Math.min(...xs), Math.min(...ys)];
  const high = [Math.max(...xs), Math.max(...ys)];
  const margin = 10 + 0.7 * graph.size;
  const [width, height] = [0, 1].map((i) => high[i] - low[i] + 2 * margin);
  // A pair of vertices need not fill the picture.
  const [w, h] = [Math.max(width, 110), Math.max(height, 44)];
  const box = [low[0] - margin - (w - width) / 2, low[1] - margin - (h - height) / 2, w, h];
  const picture = svg("svg", { class: "graph", viewBox: box.map((v) => v.toFixed(1)).join(" "),
    role: "img", "aria-label": label, preserveAspectRatio: "xMidYMid meet" });
  picture.style.aspectRatio = `${w.toFixed(1)} / ${h.toFixed(1)}`;
  const thin = Math.min(1, Math.max(0.25, Math.sqrt(60 / Math.max(graph.m, 1))));
  const unit = Math.max(w / 300, h / 220);
  const r = Math.max(graph.size / 2, 1.6 * unit);
  for (let e = 0; e < graph.m; e++) {
    const [u, v] = [graph.edges[2 * e], graph.edges[2 * e + 1]];
    const late = nLevels > 1 ? graph.levels[e] / (nLevels - 1) : 0.5;
    const look = {
      class: graph.levels[e] > level ? "edge absent" : "edge",
      "stroke-width": (unit * thin * (2.6 - 1.3 * late)).toFixed(2),
      "stroke-opacity": (0.95 - 0.4 * late).toFixed(2),
    };
    const dots = graph.levels[e] > level ? `${2 * unit} ${3 * unit}` : null;
    const length = Math.hypot(xs[v] - xs[u], ys[v] - ys[u]) || 1;
    for (const [step, dotted] of bondLines(graph, e)) {
      const [a, b] = [-(ys[v] - ys[u]), xs[v] - xs[u]].map((d) => 0.44 * r * step * d / length);
      picture.append(svg("line", { x1: (xs[u] + a).toFixed(2), y1: (ys[u] + b).toFixed(2),
        x2: (xs[v] + a).toFixed(2), y2: (ys[v] + b).toFixed(2), ...look,
        "stroke-dasharray": dotted ? `${unit} ${2 * unit}` : dots }));
    }
    if (kernel.directed) {
      picture.append(svg("path", { d: arrowHead(xs[u], ys[u], xs[v], ys[v], r, unit), ...look, fill: "none" }));
    }
  }
  const longest = kernel.vertexLabels && graph.labels
    ? Math.max(...graph.labels.map((code) => plainLabel(code).length)) : 0;
  const inside = longest > 0 && longest <= 3 && graph.n <= 60 && graph.size / unit > 8;
  for (let v = 0; v < graph.n; v++) {
    const vertex = svg("g", { class: vertexClass(graph, v, shade, chosen), "data-vertex": v });
    const circle = svg("circle", { cx: xs[v], cy: ys[v], r: r.toFixed(2),
      "stroke-width": (unit * (chosen && chosen.has(v) ? 2.2 : 0.8)).toFixed(2) });
    if (shade && !chosen) circle.style.setProperty("--part", `${(100 * shade[v]).toFixed(1)}%`);
    const what = graph.labels ? `, label ${plainLabel(graph.labels[v])}` : "";
    vertex.append(circle, svg("title", {}, `vertex ${vertexName(graph, v)}${what}`));
    if (inside) {
      vertex.append(svg("text", { x: xs[v], y: ys[v], dy: "0.35em",
        "font-size": (2 * r / (0.9 + 0.45 * longest)).toFixed(2) }, plainLabel(graph.labels[v])));
    }
    picture.append(vertex);
  }
  return picture;
}

// An open arrow head where the line from (x, y) to the vertex at (p, q) meets its circle.
function arrowHead(x, y, p, q, r, unit) {
  const length = Math.hypot(p - x, q - y) || 1;
  const [a, b] = [(p - x) / length, (q - y) / length];
  const size = Math.min(Math.max(0.9 * r, 3 * unit), 0.4 * length);
  const at = (back, aside) => `${(p - (r + back) * a - aside * b).toFixed(2)} ${(q - (r + back) * b + aside * a).toFixed(2)}`;
  return `M${at(size, 0.5 * size)}L${at(0, 0)}L${at(size, -0.5 * size)}`;
}

const vertexName = (graph, v) => (graph.names ? graph.names[v] : String(v));
const cut = (text, longest) => {
  const letters = [...text];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}\u2026` : text;
};

// What a graph is called: its id, with its number where others have the same id, or its number alone.
const LONGEST_ID = 60;
const sameName = new Map();
for (const { name } of graphs) if (name) sameName.set(name, (sameName.get(name) || 0) + 1);
const isUnique = ({ name }) => sameName.get(name) === 1;
function graphName(graph, word = "graph") {
  if (!graph.name) return `${word} ${graph.id}`;
  return cut(graph.name, LONGEST_ID) + (isUnique(graph) ? "" : ` (graph ${graph.id})`);
}
const graphTitle = (graph) => el("span", { class: "name" }, graphName(graph, "Graph"));
const twoNames = (g, h) => (g.name || h.name ? `${graphName(g)} and ${graphName(h)}` : `graphs ${g.id} and ${h.id}`);
const sizeOf = ({ id, name, n, m }) => `${name ? `graph ${id}, ` : ""}${plural(n, "vertex", "vertices")}, ${plural(m, "edge")}`;
const plainLabel = (code) => kernel.vertexLabels[code];

function vertexClass(graph, v, shade, chosen) {
  if (chosen) return chosen.has(v) ? "vertex chosen" : "vertex other";
  if (shade) return "vertex shaded";
  // The most frequent labels have the lowest numbers.
  const kind = graph.labels ? graph.labels[v] : 5;
  return `vertex kind ${kind < KINDS - 1 ? `colour${kind}` : "colour6"}`;
}

const MOST_BARS = 20;
const LONGEST_NAME = 14;

// Draw when each occurrence of a feature lives, with the histogram of how many there are.
function drawBarcode(graph, feature, label) {
  if (!feature) return el("p", { class: "empty" }, "Not in this graph.");
  const bars = feature.bars.slice(0, MOST_BARS);
  const names = bars.map(({ vertex }) => cut(vertexName(graph, vertex), LONGEST_NAME));
  const left = Math.max(34, 12 + 5.2 * Math.max(...names.map((name) => [...name].length)));
  const [row, top, width] = [12, 18, 216 + left];
  const step = (width - left - 6) / nLevels;
  const height = top + bars.length * row + 6;
  const picture = svg("svg", { class: "barcode", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `${label}: ${plural(feature.bars.length, "occurrence")}` });
  const every = Math.max(1, Math.ceil(nLevels / 12));
  for (let i = 0; i <= nLevels; i++) {
    picture.append(svg("line", { class: "tick", x1: left + i * step, x2: left + i * step,
      y1: top - 3, y2: height - 4 }));
    if (i < nLevels && i % every === 0) {
      picture.append(svg("text", { class: "tick-text", x: left + (i + 0.5) * step, y: 11,
        "text-anchor": "middle" }, String(i)));
    }
  }
  bars.forEach(({ vertex, birth, death }, i) => {
    const y = top + i * row;
    picture.append(
      svg("text", { class: "tick-text", x: left - 5, y: y + 9, "text-anchor": "end" }, names[i]),
      svg("rect", { class: "bar", x: left + birth * step + 0.75, y: y + 2, rx: 2,
        width: Math.max((death - birth) * step - 1.5, 1), height: row - 5 },
      svg("title", {}, `vertex ${vertexName(graph, vertex)}, levels ${birth} to ${death - 1}`)));
  });
  const rest = feature.bars.length - bars.length;
  return el("figure", {}, picture,
    rest ? el("figcaption", {}, `and ${plural(rest, "more occurrence")} that are not drawn`) : null);
}
