// What the data is, how graphs are built up, how good kernels are, and what is telling.

function section(id, title, ...children) {
  return el("section", { id, "aria-labelledby": `${id}-title` },
    el("h2", { id: `${id}-title` }, title), ...children);
}

function bar(part, className = "fill") {
  const inner = el("span", { class: className });
  inner.style.width = `${(100 * Math.max(0, Math.min(1, part))).toFixed(2)}%`;
  return el("span", { class: "track", "aria-hidden": "true" }, inner);
}

function table(label, head, rows, className = "numbers") {
  const cells = (row) => row.map((cell) => el("td", {}, cell));
  // What is too wide for the screen scrolls, also from the keyboard.
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label },
    el("table", { class: className },
      el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, cells(row))))));
}

const classBadge = (code) => el("span", { class: "badge" }, mark(code),
  `${data.classes.word} ${data.classes.names[code]}`);

function header() {
  return el("header", {}, el("p", { class: "over" }, data.kind === "pair"
    ? "Why two graphs are similar" : "Graph filtration kernel report"),
  el("h1", {}, data.title), el("p", { class: "lead" }, data.lead),
  data.notes.length ? el("ul", { class: "notes" }, data.notes.map((text) => el("li", {}, text))) : null);
}

function dataSection() {
  const { facts, classes } = data;
  const names = ["graph", "vertex", "edge"];
  const many = ["graphs", "vertices", "edges"];
  const tiles = facts.totals.map((n, i) => el("div", { class: "tile" },
    el("strong", {}, n.toLocaleString("en")), el("span", {}, n === 1 ? names[i] : many[i])));
  const parts = [el("div", { class: "tiles" }, tiles,
    classes ? el("div", { class: "tile" }, el("strong", {}, String(classes.names.length)),
      el("span", {}, classes.word === "class" ? "classes" : "ranges of the target")) : null)];
  const cards = [];
  if (classes) {
    const all = classes.counts.reduce((a, b) => a + b, 0);
    cards.push(frequencies(classes.word === "class" ? "Classes" : "Target",
      classes.names.map((name, i) => [el("span", { class: "badge" }, mark(i), name), classes.counts[i]]),
      all, "graphs", 12));
  }
  for (const size of facts.sizes) cards.push(sizes(size));
  for (const [what, found] of Object.entries(facts.labels)) {
    if (!found) continue;
    const all = what === "vertices" ? facts.totals[1] : facts.totals[2];
    const title = `${plural(found.count, "label")} of ${what}`;
    cards.push(frequencies(title, found.top, all, what, 8, found.count));
  }
  const more = el("div", { class: "card whole" }, el("dl", { class: "rows" },
    facts.rows.map(([name, text]) => el("div", {}, el("dt", {}, name), el("dd", {}, text)))));
  parts.push(inRows(cards, more));
  return section("the-data", "The data", ...parts);
}

// Cards side by side, three or two in a row, whichever leaves the last row fuller.
function inRows(cards, ...more) {
  const found = el("div", { class: "cards" }, cards, more);
  const n = cards.filter(Boolean).length;
  found.style.setProperty("--columns", n % 3 === 1 || n === 2 ? 2 : 3);
  return found;
}

function frequencies(title, rows, all, what, most, count = rows.length) {
  const items = rows.slice(0, most).map(([name, n]) => el("li", {},
    el("span", { class: "name" }, name), bar(n / all),
    el("span", { class: "amount" }, `${n.toLocaleString("en")} (${percent(n / all)})`)));
  const rest = count - Math.min(rows.length, most);
  return el("div", { class: "card" }, el("h3", {}, title), el("ul", { class: "bars" }, items),
    rest > 0 ? el("p", { class: "small" }, `and ${rest.toLocaleString("en")} more, not listed`) : null);
}

function sizes({ what, range, bins }) {
  const most = Math.max(...bins.map((bin) => bin[2]));
  const width = 240 / bins.length;
  const picture = svg("svg", { class: "histogram", viewBox: "0 0 240 78", role: "img",
    "aria-label": `${what} per graph: ${range}`, preserveAspectRatio: "none" });
  bins.forEach(([low, high, n], i) => {
    const height = n ? Math.max(1.5, 74 * n / most) : 0;
    picture.append(svg("rect", { x: i * width + 0.5, y: 76 - height, width: Math.max(width - 1, 1), height },
      svg("title", {}, `${low === high ? low : `${low} to ${high}`} ${what}: ${plural(n, "graph")}`)));
  });
  picture.append(svg("line", { x1: 0, x2: 240, y1: 76.5, y2: 76.5 }));
  const [first, last] = [bins[0][0], bins[bins.length - 1][1]];
  return el("div", { class: "card" }, el("h3", {}, `${what[0].toUpperCase()}${what.slice(1)} per graph`),
    picture, el("p", { class: "ends", "aria-hidden": "true" }, el("span", {}, String(first)), el("span", {}, String(last))),
    el("p", { class: "small" }, range));
}

function filtrationSection() {
  const { filtration } = data;
  if (oneLevel) {
    return section("filtration", "The filtration", el("p", {}, filtration.how), el("p", { class: "small" }, kernelText()));
  }
  const all = filtration.entering.reduce((a, b) => a + b, 0) || 1;
  let before = 0;
  const rows = filtration.entering.map((n, level) => {
    before += n;
    return [String(level), number(filtration.alphas[level], 6), n.toLocaleString("en"),
      el("span", { class: "with-bar" }, bar(n / all), el("span", { class: "amount" }, percent(n / all))), percent(before / all)];
  });
  return section("filtration", "The filtration",
    el("p", {}, `Every graph is built up in steps, its ${filtration.smallFirst ? "short" : "heavy"} edges first. Edges are `
      + "weighted by ", el("strong", {}, filtration.weight),
      filtration.meaning ? `: ${filtration.meaning}` : "."),
    el("p", {}, filtration.source),
    filtration.how ? el("p", {}, filtration.how) : null,
    table("levels", ["level", `weight at ${filtration.smallFirst ? "most" : "least"}`, "edges that enter", "of all edges", "so far"], rows),
    el("p", { class: "small" }, kernelText()));
}

function kernelText() {
  const gamma = oneLevel ? "" : `, gamma ${number(kernel.gamma)}`;
  const how = kernel.combine === "sum"
    ? `${kernel.normalize ? "Normalised sum" : "Sum"} kernel${kernel.mass === "min"
      ? ", in which the smaller of both masses counts" : ""}${gamma}`
    : `Product kernel${gamma}, beta ${number(kernel.beta)}`;
  return `${how}. Features are Weisfeiler-Lehman labels up to depth ${kernel.depth}`
    + `${kernel.edgeLabels ? ", with labels of edges" : ""}${kernel.directed
      ? ", with directions of edges (-> leads to a neighbour, <- comes from one)" : ""}. What is compared is how often each of them `
    + (oneLevel ? "occurs in both graphs."
      : "occurs in both graphs, and at which levels: W1 is the Wasserstein distance of its two histograms over the levels.");
}

function accuracySection() {
  const { accuracy } = data;
  if (accuracy.missing) {
    return section("accuracy", "Accuracy", el("p", {}, accuracy.missing));
  }
  const known = accuracy.scores.filter((score) => score.accuracy !== null);
  const ends = known.flatMap((s) => [s.accuracy - s.deviation, s.accuracy + s.deviation]);
  const low = Math.min(90, Math.max(0, 10 * Math.floor(Math.min(...ends, accuracy.majority) / 10)));
  const high = Math.min(100, Math.max(low + 10, 10 * Math.ceil(Math.max(...ends, accuracy.majority) / 10)));
  const at = (value) => 100 * (value - low) / (high - low);
  const rows = accuracy.scores.map((score) => {
    if (score.accuracy === null) return [score.title, "not finished", "", ""];
    const line = el("span", { class: "whisker", "aria-hidden": "true" });
    const span = el("span", { class: "range" });
    const [from, to] = [at(Math.max(low, score.accuracy - score.deviation)),
      at(Math.min(high, score.accuracy + score.deviation))];
    span.style.left = `${from}%`;
    span.style.width = `${to - from}%`;
    const dot = el("span", { class: "dot" });
    dot.style.left = `${at(score.accuracy)}%`;
    const chance = el("span", { class: "chance" });
    chance.style.left = `${at(accuracy.majority)}%`;
    line.append(chance, span, dot);
    return [[el("strong", {}, score.title), score.shown ? el("span", { class: "small shown" }, "on this page") : null],
      `${score.accuracy.toFixed(2)} \u00b1 ${score.deviation.toFixed(2)}`, line, score.params];
  });
  return section("accuracy", "Accuracy",
    table("accuracy", ["kernel", "accuracy, %", `${low} to ${high} %`, "most often chosen"], rows, "accuracy"),
    accuracy.shown ? el("p", {}, accuracy.shown) : null,
    el("p", { class: "small" }, `\u00b1 is one standard deviation. The scale goes from ${low} to ${high} %; the thin `
      + `line is the share of the largest class, ${accuracy.majority.toFixed(1)} %. ${accuracy.note}`),
    accuracy.comparisons.length ? el("details", { "aria-label": "Do the kernels differ?" },
      el("summary", {}, "Do the kernels differ?"),
      table("differences", ["kernels", "difference, %", "p, corrected t-test", "p, Wilcoxon"],
        accuracy.comparisons.map(([pair, difference, t, w]) => [pair,
          (difference > 0 ? "+" : "") + difference.toFixed(2), number(t, 3), number(w, 3)])),
      el("p", { class: "small" }, accuracy.tests)) : null);
}

function depths({ depths: found }) {
  if (found.length === 1) return `depth ${found[0]}`;
  const [low, high] = [Math.min(...found), Math.max(...found)];
  const all = high - low + 1 === found.length;
  return all ? `depths ${low} to ${high}` : `depths ${found.join(", ")}`;
}

function tellingSection(show) {
  const { telling, classes } = data;
  if (telling.missing) return section("telling", "Telling features", el("p", {}, telling.missing));
  // One scale for all classes.
  const shares = telling.classes.flatMap((found) => (found ? found.features.map(({ distance: d }) => d / found.distance) : []));
  const most = Math.max(...shares);
  const cards = telling.classes.map((found, code) => {
    if (!found) return null;
    const others = classes.shown.reduce((a, b) => a + b, 0) - classes.shown[code];
    const items = found.features.map((feature) => {
      const inside = feature.graphs.filter((g) => classes.of[g] === code).length;
      const outside = feature.graphs.length - inside;
      const button = el("button", { type: "button", class: "feature", "aria-pressed": "false",
        onclick: () => show(feature, button) },
      el("code", {}, feature.name), el("span", { class: "with-bar" }, bar(feature.distance / found.distance / most),
        el("span", { class: "amount" }, percent(feature.distance / found.distance))),
      el("span", { class: "small" }, `${depths(feature)}; in ${percent(inside / classes.shown[code], 0)} of the graphs of this `
        + `class and ${percent(outside / others, 0)} of the others; mean weight ${number(feature.weights[0], 2)} `
        + `against ${number(feature.weights[1], 2)}`));
      return el("li", {}, button);
    });
    return el("div", { class: "card" }, el("h3", {}, classBadge(code)),
      el("p", { class: "small" }, `Its squared distance from the others is ${number(found.distance, 3)}.`),
      items.length ? el("ol", { class: "features" }, items)
        : el("p", { class: "empty" }, "This class has more of no feature."));
  });
  return section("telling", "Telling features",
    el("p", {}, "What tells the graphs of a class from all others? In the space of the kernel, the mean of a class "
      + "lies some way from the mean of the other graphs. The square of this distance (the maximum mean discrepancy) "
      + "is a sum over features. Below are the features that a class has more of, each with its share of that sum; "
      + "what both sides have alike adds nothing. No model is trained for this."),
    el("p", { class: "small" }, "Choose a feature to see on the map which graphs have it, and where. Its weight is how often it "
      + `occurs${oneLevel ? "" : " over all levels"}, divided as the kernel is. A feature that is the same at several `
      + "depths, with the same numbers, is listed once, with the shares of all these depths added up."),
    inRows(cards),
    telling.left_out ? el("p", { class: "small" }, telling.left_out) : null);
}
