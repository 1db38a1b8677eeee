// The map: every graph a point, like graphs near each other.

// The range of what is not far off. Up to three graphs are left out of it if that saves room: each of them
// has to save a third of what the others take. So is whatever lies further from the middle nine tenths than
// these are wide.
function usualRange(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const last = sorted.length - 1;
  const whole = [sorted[0], sorted[last]];
  if (sorted.length < 8) return whole;
  const cut = Math.max(1, Math.floor(sorted.length / 20));
  const [low, high] = [sorted[cut], sorted[last - cut]];
  const spread = high - low;
  if (!spread) return whole;
  let [least, usual] = [whole[1] - whole[0], whole];
  for (let n = 1; n <= Math.min(3, sorted.length / 8); n++) {
    for (let left = 0; left <= n; left++) {
      const rest = [sorted[left], sorted[last - n + left]];
      const room = (1 + n / 3) * (rest[1] - rest[0]);
      if (room && room < least) [least, usual] = [room, rest];
    }
  }
  return [Math.max(usual[0], low - spread), Math.min(usual[1], high + spread)];
}

// Both ways have the same scale, so what is far off one way squeezes nothing if the other way needs the
// room anyway. On most screens the map is wider than tall.
function usualRanges(x, y) {
  const [across, up] = [usualRange(x), usualRange(y)];
  const width = ([low, high]) => high - low;
  const ends = (values) => [Math.min(...values), Math.max(...values)];
  return [width(ends(x)) <= width(up) ? ends(x) : across, width(ends(y)) <= 0.75 * width(across) ? ends(y) : up];
}

function thumbnail(graph) {
  if (!graph.at || !graph.n) return null;
  const picture = drawGraph(graph);
  picture.setAttribute("role", "presentation"); // the button around it has a name
  picture.removeAttribute("aria-label");
  return picture;
}

// For small buttons, whose style cuts what is too long, and for what can be entered.
const shortName = (graph) => (isUnique(graph) ? graph.name : String(graph.id));

// The graph that an id or a number stands for, or what is wrong with it.
function placeOf(text) {
  const given = text.trim();
  const ids = sameName.size > 0;
  if (!given) return { fault: ids ? "Enter two graphs, by their ids or their numbers." : "Enter two graphs, by their numbers." };
  const named = graphs.filter(({ name }) => name === given);
  if (named.length > 1) {
    const numbers = named.slice(0, 10).map(({ id }) => id).join(", ") + (named.length > 10 ? ", ..." : "");
    return { fault: `${named.length} graphs are called ${given}; enter the number of one: ${numbers}` };
  }
  const place = named.length ? graphs.indexOf(named[0])
    : graphs.findIndex(({ id }) => /^\d+$/.test(given) && id === Number(given));
  return place < 0 ? { fault: `${ids ? "" : "Graph "}${given} is not on this page.` } : { place };
}

const within = (value, [low, high]) => low <= value && value <= high;

class MapView {
  constructor(compare, forget) {
    this.compare = compare;
    this.forget = forget;
    this.picked = [];
    this.at = 0;
    this.having = null;
    this.zoomed = 1;
    const { map } = data;
    [this.across, this.up] = usualRanges(map.x, map.y);
    this.far = map.x.map((_, i) => !within(map.x[i], this.across) || !within(map.y[i], this.up));
    this.least = this.far.includes(true) ? 0 : 1;
    this.plot = svg("svg", { class: "map", role: "listbox", "aria-multiselectable": "true",
      "aria-label": `Map of ${plural(graphs.length, "graph")}`, onkeydown: (event) => this.key(event),
      onpointermove: (event) => this.hover(event), onclick: (event) => this.click(event) });
    this.points = map.x.map((_, i) => svg("path", { role: "option", tabindex: i === 0 ? "0" : "-1",
      "aria-selected": "false", "aria-label": this.describe(i), "data-graph": graphs[i].id,
      class: `point ${this.far[i] ? "far " : ""}${data.classes ? colourOf(data.classes.of[i]) : "colour0"}`, onfocus: () => this.look(i) }));
    this.rings = svg("g", { "aria-hidden": "true" });
    this.plot.append(...this.points, this.rings);
    this.inspector = el("div", { class: "card inspector" });
    this.status = el("p", { class: "status", role: "status", "aria-live": "polite" });
    this.element = section("map", "Map of graphs",
      el("p", {}, "Graphs that the kernel finds alike lie near each other. Point at a graph to see it; choose "
        + "two to see why they are similar."),
      data.classes ? this.legend() : null,
      el("div", { class: "map-row" }, el("div", { class: "map-box" }, this.zoomButtons(), this.plot, this.byName()), this.inspector),
      this.status,
      this.farOff(),
      el("p", { class: "small" }, "Across and up are the first two principal components of the kernel, which have "
        + `${percent(map.shares[0], 0)} and ${percent(map.shares[1], 0)} of the variance. On the keyboard, arrow keys go to the next graph `
        + "in their direction, Page Up and Page Down through all of them by number; Enter chooses, Escape starts over, + and - zoom."));
    new ResizeObserver(() => this.place()).observe(this.plot);
    this.look(0);
  }

  describe(i) {
    const { n, m } = graphs[i];
    const group = data.classes ? `, ${data.classes.word} ${data.classes.names[data.classes.of[i]]}` : "";
    return `${graphName(graphs[i])}${group}, ${plural(n, "vertex", "vertices")}, ${plural(m, "edge")}`;
  }

  legend() {
    const { names, word } = data.classes;
    const most = 24;
    return el("ul", { class: "legend", "aria-label": word }, names.slice(0, most).map((name, i) =>
      el("li", { class: "badge" }, mark(i), name)),
    names.length > most ? el("li", { class: "small" }, `and ${names.length - most} more classes`) : null);
  }

  byName() {
    const kind = sameName.size ? { type: "text", autocomplete: "off", spellcheck: "false", class: "id" }
      : { type: "number", min: 0, inputmode: "numeric" };
    const fields = ["First", "Second"].map((which, i) => el("input", { ...kind, "aria-label": `${which} graph`,
      value: data.start ? shortName(graphs[data.start[i]]) : null }));
    // What is wrong is said in the same words for all that may be entered, so the browser does not check.
    return el("form", { class: "by-name", novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      const found = fields.map((field) => placeOf(field.value));
      const wrong = found.find(({ fault }) => fault);
      if (wrong) this.say(wrong.fault);
      else this.pick(found.map(({ place }) => place));
    } }, el("span", {}, sameName.size ? "Compare" : "Compare graph"), fields[0], el("span", {}, "with"), fields[1],
    el("button", { type: "submit" }, "Compare"));
  }

  zoomButtons() {
    const button = (text, label, change) => el("button", { type: "button", "aria-label": label,
      onclick: () => this.zoom(change) }, text);
    this.whole = el("button", { type: "button", disabled: this.least === 1, onclick: () => this.zoom(0) }, "Whole map");
    return el("div", { class: "zoom" }, button("+", "Zoom in", 2), button("\u2212", "Zoom out", 0.5), this.whole);
  }

  // Around the graph that is looked at. At 1 graphs that are far off lie at the border; 0 shows all.
  zoom(change) {
    if (!change || (change < 1 && this.zoomed <= 1)) this.zoomed = this.least;
    else this.zoomed = Math.min(256, Math.max(1, this.zoomed * change));
    this.whole.toggleAttribute("disabled", this.zoomed === this.least);
    this.plot.classList.toggle("all", this.zoomed === 0);
    this.place();
  }

  farOff() {
    const those = graphs.filter((_, i) => this.far[i]);
    if (!those.length) return null;
    const who = those.length > 3 ? `${those.length} graphs lie`
      : `${those.map((graph, i) => graphName(graph, i ? "graph" : "Graph")).join(" and ")} ${those.length === 1 ? "lies" : "lie"}`;
    return el("p", { class: "small far-off" }, `${who} so far off that the others would be squeezed together. `
      + (those.length === 1 ? "It stands at the border, with a dashed outline" : "They stand at the border, with dashed outlines")
      + "; Whole map shows where.");
  }

  // Positions in pixels, in the same scale both ways.
  place() {
    const { map } = data;
    const width = this.plot.clientWidth;
    const height = this.plot.clientHeight;
    if (!width) return;
    const [x, y] = this.zoomed ? [this.across, this.up]
      : [map.x, map.y].map((values) => [Math.min(...values), Math.max(...values)]);
    const room = 18;
    const scale = Math.max(1, this.zoomed) * Math.min((width - 2 * room) / Math.max(x[1] - x[0], 1e-9),
      (height - 2 * room) / Math.max(y[1] - y[0], 1e-9), 1e6);
    const centre = this.zoomed > 1 ? [map.x[this.seen], map.y[this.seen]]
      : [(x[0] + x[1]) / 2, (y[0] + y[1]) / 2];
    const border = (value, most) => (this.zoomed === 1 ? Math.max(room / 2, Math.min(most - room / 2, value)) : value);
    this.pixels = map.x.map((_, i) => [border(width / 2 + scale * (map.x[i] - centre[0]), width),
      border(height / 2 - scale * (map.y[i] - centre[1]), height)]);
    this.plot.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.radius = Math.max(3, Math.min(6.5, Math.sqrt(width * height / graphs.length) / 9));
    this.points.forEach((point, i) => {
      const [left, top] = this.pixels[i];
      point.setAttribute("transform", `translate(${left.toFixed(1)} ${top.toFixed(1)})`);
      point.setAttribute("d", shapeOf(data.classes ? data.classes.of[i] : 0, this.radius));
    });
    this.encircle();
  }

  nearest(event) {
    const box = this.plot.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    let best = -1;
    let least = 22 ** 2;
    this.pixels.forEach(([x, y], i) => {
      const apart = (x - left) ** 2 + (y - top) ** 2;
      if (apart < least) [best, least] = [i, apart];
    });
    return best;
  }

  hover(event) {
    const found = this.nearest(event);
    this.plot.classList.toggle("near", found >= 0);
    if (found >= 0) this.look(found);
  }

  click(event) {
    const found = this.nearest(event);
    if (found < 0) return;
    this.focus(found);
    this.toggle(found);
  }

  focus(i) {
    this.points[this.at].setAttribute("tabindex", "-1");
    this.at = i;
    this.points[i].setAttribute("tabindex", "0");
    this.points[i].focus({ preventScroll: true });
    const [x, y] = this.pixels[i];
    if (x < 0 || y < 0 || x > this.plot.clientWidth || y > this.plot.clientHeight) this.place();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return; // these are the browser's
    const go = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    const change = { "+": 2, "=": 2, "-": 0.5, 0: 0 }[event.key];
    const to = { Home: 0, End: graphs.length - 1, PageUp: Math.max(0, this.at - 1),
      PageDown: Math.min(graphs.length - 1, this.at + 1) }[event.key];
    if (go) this.focus(this.towards(...go));
    else if (to !== undefined) this.focus(to);
    else if (change !== undefined) this.zoom(change);
    else if (event.key === "Enter" || event.key === " ") this.toggle(this.at);
    else if (event.key === "Escape") this.clear();
    else return;
    event.preventDefault();
  }

  // The next graph in a direction: near, and not too far aside.
  towards(right, down) {
    const [x, y] = this.pixels[this.at];
    let best = this.at;
    let least = Infinity;
    this.pixels.forEach(([a, b], i) => {
      const along = (a - x) * right + (b - y) * down;
      const aside = Math.abs((a - x) * down) + Math.abs((b - y) * right);
      if (along < 0.5 || aside > 2 * along) return;
      const cost = along + 2 * aside;
      if (cost < least) [best, least] = [i, cost];
    });
    return best;
  }

  look(i) {
    if (this.seen === i && this.inspector.childElementCount) return;
    this.seen = i;
    this.encircle();
    const here = this.together(i);
    const graph = graphs[i];
    const button = (place, value, ...inside) => el("button", { type: "button", onclick: () => this.pick([i, place]),
      "aria-label": `Compare with ${graphName(graphs[place])}${value === null ? "" : `, kernel ${number(value, 3)}`}` }, ...inside);
    const near = data.nearest[i].map(([place, value]) => button(place, value, thumbnail(graphs[place]),
      el("span", {}, el("span", { class: "name" }, shortName(graphs[place])), " ", el("span", { class: "small" }, number(value, 3)))));
    const most = 8;
    refill(this.inspector,
      el("h3", {}, graphTitle(graph), data.classes ? classBadge(data.classes.of[i]) : null),
      el("p", { class: "small" }, sizeOf(graph)),
      drawGraph(graph, { chosen: this.where(graph), label: this.describe(i) }),
      here.length ? el("p", { class: "near same-point" },
        el("span", { class: "small" }, `${plural(here.length, "other graph")} at the same point: `),
        here.slice(0, most).map((place) => button(place, null, el("span", { class: "name" }, shortName(graphs[place])))),
        here.length > most ? el("span", { class: "small" }, `and ${here.length - most} more`) : null) : null,
      near.length ? el("p", { class: "small alike-title" }, "Most similar graphs, with their kernel") : null,
      near.length ? el("div", { class: "alike" }, near) : null);
  }

  // Rings around what is looked at and what is chosen, above all points.
  encircle() {
    if (!this.pixels) return;
    const ring = (i, name, r) => svg("circle", { class: `ring ${name}`, r,
      cx: this.pixels[i][0].toFixed(1), cy: this.pixels[i][1].toFixed(1) });
    this.rings.replaceChildren(...this.picked.map((i) => ring(i, "picked", this.radius + 4)),
      ring(this.seen, "seen", this.radius + 2));
  }

  together(i) {
    const { x, y } = data.map;
    return x.map((_, place) => place).filter((place) => place !== i && x[place] === x[i] && y[place] === y[i]);
  }

  // The vertices with the telling feature that was chosen, if any.
  where(graph) {
    if (!this.having || !graph.edges) return null;
    const feature = features(graph).get(this.having.key);
    return new Set(feature ? feature.bars.map(({ vertex }) => vertex) : []);
  }

  toggle(i) {
    if (this.picked.length === 2) this.picked = [];
    if (this.picked.includes(i)) this.pick(this.picked.filter((place) => place !== i));
    else this.pick([...this.picked, i]);
  }

  pick(places, quiet = false) {
    this.picked = places;
    this.points.forEach((point, i) => {
      point.classList.toggle("picked", places.includes(i));
      point.setAttribute("aria-selected", String(places.includes(i)));
    });
    this.encircle();
    if (places.length === 1) this.say(`${graphName(graphs[places[0]], "Graph")} is chosen. Choose another one to compare it with.`);
    if (places.length === 0) {
      this.forget();
      this.say("No graph is chosen.");
    }
    if (places.length === 2) {
      const why = this.compare(...places, quiet);
      const both = twoNames(...places.map((place) => graphs[place]));
      this.say(why ? `The kernel of ${both} is ${number(why.value, 3)}. The section below explains it.`
        : `This page cannot compare ${both}. The section below says how to.`);
    }
  }

  clear() {
    for (const button of document.querySelectorAll("#telling button.feature")) {
      button.setAttribute("aria-pressed", "false");
    }
    this.mark(null);
    this.pick([]);
  }

  // Show which graphs have a feature.
  mark(feature) {
    this.having = feature;
    const those = feature ? new Set(feature.graphs) : null;
    this.plot.classList.toggle("marked", Boolean(feature));
    this.points.forEach((point, i) => point.classList.toggle("without", Boolean(those) && !those.has(i)));
    const seen = feature && feature.example >= 0 ? feature.example : this.seen;
    this.seen = -1;
    this.look(seen);
  }

  say(text) {
    refill(this.status, text);
  }
}
