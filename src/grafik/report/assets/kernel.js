// The kernel of two graphs, taken apart: the same terms as grafik.explain_pair.

const data = JSON.parse(document.getElementById("data").textContent);
const { kernel, graphs } = data;
const nLevels = kernel.alphas.length;
const oneLevel = nLevels === 1;
const gaps = kernel.axis.slice(1).map((place, i) => kernel.axis[i] - place);
const rate = Math.min(kernel.gamma * kernel.length, Number.MAX_VALUE);

// Labels of each depth, by what they are made of; the same for all graphs of the page.
const words = Array.from({ length: kernel.depth + 1 }, () => new Map());

function wordFor(depth, text) {
  const known = words[depth];
  if (!known.has(text)) known.set(text, known.size);
  return known.get(text);
}

// Neighbours of each vertex, with the level, the label and the direction of the edge between.
function neighbours(graph) {
  if (!graph.around) {
    graph.around = Array.from({ length: graph.n }, () => []);
    for (let e = 0; e < graph.m; e++) {
      const [u, v] = [graph.edges[2 * e], graph.edges[2 * e + 1]];
      const kind = graph.between ? graph.between[e] : 0;
      const [away, back] = kernel.directed ? ["->", "<-"] : ["", ""];
      graph.around[u].push({ vertex: v, level: graph.levels[e], kind, sign: away });
      graph.around[v].push({ vertex: u, level: graph.levels[e], kind, sign: back });
    }
  }
  return graph.around;
}

// The Weisfeiler-Lehman labels of all vertices of a filtration graph, depth after depth.
function labelsAt(graph, level) {
  const around = neighbours(graph);
  const found = [around.map((_, v) => wordFor(0, String(graph.labels ? graph.labels[v] : 0)))];
  for (let depth = 1; depth <= kernel.depth; depth++) {
    const below = found[depth - 1];
    found.push(around.map((near, v) => {
      const parts = near.filter((edge) => edge.level <= level)
        .map((edge) => `${edge.sign}${edge.kind}:${below[edge.vertex]}`);
      return wordFor(depth, `${below[v]}|${parts.sort().join()}`);
    }));
  }
  return found;
}

// All features of a graph by depth and label, each with its bars: vertex, birth and death.
function features(graph) {
  if (graph.features) return graph.features;
  const found = new Map();
  const open = Array.from({ length: kernel.depth + 1 }, () => new Array(graph.n));
  const close = (depth, vertex, death) => {
    const { word, birth } = open[depth][vertex];
    const key = `${depth}:${word}`;
    if (!found.has(key)) found.set(key, { depth, key, bars: [] });
    found.get(key).bars.push({ vertex, birth, death });
  };
  const steps = new Set([0, ...graph.levels]);
  for (const level of [...steps].sort((a, b) => a - b)) {
    labelsAt(graph, level).forEach((labels, depth) => labels.forEach((word, vertex) => {
      const now = open[depth][vertex];
      if (now && now.word === word) return;
      if (now) close(depth, vertex, level);
      open[depth][vertex] = { word, birth: level };
    }));
  }
  open.forEach((row, depth) => row.forEach((_, vertex) => close(depth, vertex, nLevels)));
  for (const feature of found.values()) measure(feature);
  graph.features = found;
  return found;
}

function measure(feature) {
  feature.bars.sort((a, b) => a.birth - b.birth || a.death - b.death || a.vertex - b.vertex);
  const changes = new Array(nLevels + 1).fill(0);
  for (const bar of feature.bars) {
    changes[bar.birth] += 1;
    changes[bar.death] -= 1;
  }
  let count = 0;
  let mass = 0;
  feature.counts = changes.slice(0, nLevels).map((change) => (count += change));
  feature.sums = feature.counts.map((now) => (mass += now));
  feature.mass = mass;
}

function distance(a, b) {
  let total = 0;
  gaps.forEach((gap, i) => {
    total += gap * Math.abs(a.sums[i] / a.mass - b.sums[i] / b.mass);
  });
  return total;
}

// How far a feature is from where the mass of one that is not there lies, in product kernels.
function farOff(feature) {
  if (oneLevel) return 0;
  let moved = 0;
  feature.counts.forEach((n, i) => { moved += n * Math.abs(kernel.axis[i] - kernel.delta); });
  return moved / feature.mass;
}

// What two masses of a shared feature are compared by.
function compared(a, b) {
  return kernel.mass === "min" ? Math.min(a, b) : a * b;
}

function ownKernel(graph) {
  let sum = 0;
  for (const { mass } of features(graph).values()) sum += compared(mass, mass);
  return sum;
}

// What each feature contributes to the kernel of two graphs, the largest contribution first.
function explain(i, j) {
  const [g, h] = [graphs[i], graphs[j]];
  const [mine, theirs] = [features(g), features(h)];
  const scale = kernel.normalize ? Math.sqrt(ownKernel(g) * ownKernel(h)) : 1;
  const found = new Map();
  for (const key of new Set([...mine.keys(), ...theirs.keys()])) {
    const sides = [mine.get(key), theirs.get(key)];
    const [a, b] = sides;
    if (kernel.combine === "sum" && !(a && b)) continue;
    const apart = a && b ? distance(a, b) : farOff(a || b);
    const masses = [a ? a.mass : 0, b ? b.mass : 0];
    const contribution = kernel.combine === "sum"
      ? Math.exp(-(rate * apart)) * compared(...masses) / scale
      : -(rate * apart + kernel.beta * (masses[0] - masses[1]) ** 2);
    const { depth } = a || b;
    // The label of a vertex without neighbours is the same at all depths but 0.
    const same = (a ? treeAtAllDepths(g, a) : treeAtAllDepths(h, b)) || key;
    const twin = found.get(same);
    if (twin) {
      twin.depths.push(depth);
      twin.contribution += contribution;
      continue;
    }
    // Names of both graphs are the same, but "before its edges" has to be true of both.
    const names = [a && nameOf(g, a), b && nameOf(h, b)].filter(Boolean).sort(byCodePoint);
    const name = names[names.length - 1];
    found.set(same, { key, depth, depths: [depth], name, contribution,
      distance: apart * kernel.length, masses, sides });
  }
  const terms = [...found.values()];
  for (const term of terms) term.depths.sort((x, y) => x - y);
  terms.sort((x, y) => Math.abs(y.contribution) - Math.abs(x.contribution)
    || x.depth - y.depth || byCodePoint(x.name, y.name));
  const total = terms.reduce((sum, term) => sum + term.contribution, 0);
  return { value: kernel.combine === "sum" ? total : Math.exp(total), total, features: terms };
}

// Share contributions out among vertices, as grafik.vertex_importance does.
function importance(explanation, side, n) {
  const found = new Array(n).fill(0);
  for (const { contribution, sides } of explanation.features) {
    if (!sides[side]) continue;
    for (const { vertex, birth, death } of sides[side].bars) {
      found[vertex] += contribution / sides[side].mass * (death - birth);
    }
  }
  return found;
}

// The tree that a label stands for, or words if it has none, as in grafik.features.wl_trees.
function nameOf(graph, feature) {
  const { vertex, birth } = feature.bars[0];
  if (treeAtAllDepths(graph, feature)) {
    const later = feature.bars.every((found) => neighbours(graph)[found.vertex].length);
    return `${rootOf(graph, vertex)} ${later ? "before its" : "without"} edges`;
  }
  return tree(graph, vertex, feature.depth, birth, Math.min(feature.depth, kernel.shown[0]));
}

// The tree of a vertex without neighbours, or null for all other features.
function treeAtAllDepths(graph, { depth, bars: [{ vertex, birth }] }) {
  const lone = depth > 0 && neighbours(graph)[vertex].every((edge) => edge.level > birth);
  return lone ? `${rootOf(graph, vertex)}()` : null;
}

function rootOf(graph, vertex) {
  return kernel.vertexLabels ? kernel.vertexLabels[graph.labels[vertex]] : "*";
}

function tree(graph, vertex, depth, level, shown) {
  const root = rootOf(graph, vertex);
  if (depth === 0) return root;
  const near = neighbours(graph)[vertex].filter((edge) => edge.level <= level);
  if (near.length && shown === 0) return `${root}(...)`;
  const counts = new Map();
  for (const edge of near) {
    const before = kernel.edgeLabels ? `${kernel.edgeLabels[edge.kind]}:` : "";
    const text = edge.sign + before + tree(graph, edge.vertex, depth - 1, level, shown - 1);
    counts.set(text, (counts.get(text) || 0) + 1);
  }
  const written = [...counts.keys()].sort(byCodePoint).slice(0, kernel.shown[1]);
  const parts = written.map((text) => (counts.get(text) === 1 ? text : `${counts.get(text)}x${text}`));
  const rest = near.length - written.reduce((sum, text) => sum + counts.get(text), 0);
  if (rest) parts.push(`${rest} more`);
  return `${root}(${parts.join(", ")})`;
}

function byCodePoint(a, b) {
  const [x, y] = [[...a], [...b]];
  const at = x.findIndex((letter, i) => letter !== y[i]);
  if (at < 0) return x.length - y.length;
  return at >= y.length ? 1 : x[at].codePointAt(0) - y[at].codePointAt(0);
}
