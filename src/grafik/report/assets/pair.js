// Why two graphs are similar: contributions, drawings and barcodes side by side.

const FIRST_ROWS = 10;
const MARKED = oneLevel ? "Marked: the vertices that have the chosen feature."
  : "Marked: the vertices that have the chosen feature at this level. Bars: the levels at which each vertex "
    + "(its name or number on the left) has it.";
const SHADED = `The stronger the colour of a vertex, the more the features at it contribute. ${oneLevel
  ? "Choose a feature to see where it occurs."
  : "Thick edges enter early. Choose a feature to see where and when it lives."}`;

class PairView {
  constructor() {
    this.body = el("div", {});
    this.heading = el("h2", { id: "pair-title", tabindex: "-1" });
    this.element = el("section", { id: "pair", "aria-labelledby": "pair-title" }, this.heading, this.body);
    this.clear();
  }

  clear() {
    refill(this.heading, "Why are two graphs similar?");
    refill(this.body, el("p", { class: "empty" }, "No two graphs are chosen yet."));
  }

  show(i, j) {
    this.pair = [i, j];
    const sides = this.pair.map((place) => graphs[place]);
    refill(this.heading, `Why are ${twoNames(...sides)} similar?`);
    if (sides.some((graph) => !graph.edges)) {
      this.why = null;
      refill(this.body, el("p", { class: "empty" }, "One of them is too large to be part of this page. ",
        "On the command line: ", el("code", {}, `grafik explain DATA ${sides[0].id} ${sides[1].id}`)));
      return null;
    }
    this.why = explain(i, j);
    this.chosen = null;
    this.level = nLevels - 1;
    this.rows = FIRST_ROWS;
    this.shades = sides.map((graph, side) => {
      const found = importance(this.why, side, graph.n).map(Math.abs);
      const most = found.reduce((a, b) => Math.max(a, b), Number.MIN_VALUE);
      return found.map((value) => part(value, most));
    });
    this.cards = sides.map(() => el("div", { class: "card graph-card" }));
    this.caption = el("p", { class: "small caption" });
    this.list = el("div", {});
    this.pictures = el("div", { class: "pair-graphs" }, this.levelChoice(),
      el("div", { class: "two" }, this.cards), this.caption);
    refill(this.body, this.summary(), el("div", { class: "pair" },
      el("div", { class: "pair-features" }, this.list), this.pictures));
    this.draw();
    return this.why;
  }

  summary() {
    const { value, total, features: found } = this.why;
    const what = kernel.combine === "sum" && kernel.normalize
      ? "On a scale from 0 to 1, their kernel is " : "Their kernel is ";
    const parts = kernel.combine === "sum"
      ? (found.length ? `, the sum of the contributions of ${plural(found.length, "feature")} that both have.`
        : ", as they have no feature in common.")
      : `. Its logarithm, ${number(total)}, is the sum of the contributions of `
        + `${plural(found.length, "feature")} that at least one of them has.`;
    return el("p", { class: "lead" }, what, el("strong", { class: "value" }, number(value)), parts);
  }

  levelChoice() {
    if (oneLevel) return null;
    this.slider = el("input", { type: "range", min: 0, max: nLevels - 1, value: this.level, id: "level",
      oninput: () => { this.level = Number(this.slider.value); this.draw(); } });
    this.levelText = el("output", { for: "level" });
    return el("div", { class: "level" }, el("label", { for: "level" }, "Built up to level"), this.slider, this.levelText);
  }

  // Go to the last level at which a chosen feature lives, so that there is something to see.
  choose(key) {
    this.chosen = this.chosen === key ? null : key;
    const term = this.why.features.find((found) => found.key === this.chosen);
    const bars = term ? term.sides.flatMap((side) => (side ? side.bars : [])) : [];
    this.level = term ? bars.reduce((last, { death }) => Math.max(last, death - 1), 0) : nLevels - 1;
    if (this.slider) this.slider.value = this.level;
    this.draw();
    // On narrow screens the graphs lie above the list, where nobody would see them change.
    const above = this.pictures.getBoundingClientRect().top < 0;
    if (term && above && getComputedStyle(this.pictures).position === "static") bringIntoView(this.pictures, "start");
  }

  draw() {
    const term = this.why.features.find((found) => found.key === this.chosen);
    if (this.levelText) {
      refill(this.levelText, this.level === nLevels - 1 ? `${this.level}, the whole graph` : String(this.level));
    }
    this.pair.forEach((place, side) => this.drawSide(graphs[place], side, term));
    refill(this.caption, term ? MARKED : SHADED);
    this.drawRows();
  }

  drawSide(graph, side, term) {
    const code = data.classes ? data.classes.of[this.pair[side]] : null;
    const feature = term ? term.sides[side] : null;
    const now = ({ birth, death }) => birth <= this.level && this.level < death;
    const chosen = term
      ? new Set(feature ? feature.bars.filter(now).map((found) => found.vertex) : []) : null;
    const label = `${graphName(graph)}${chosen ? `, ${plural(chosen.size, "marked vertex", "marked vertices")}` : ""}`;
    refill(this.cards[side],
      el("h3", {}, graphTitle(graph), code === null ? null : classBadge(code)),
      el("p", { class: "small" }, sizeOf(graph)),
      drawGraph(graph, { shade: this.shades[side], chosen, level: this.level, label }),
      term && !oneLevel ? drawBarcode(graph, feature, `barcode of ${term.name} in ${graphName(graph)}`) : null);
  }

  drawRows() {
    const { features: found, total } = this.why;
    const most = found.length ? Math.abs(found[0].contribution) : 1;
    const shown = found.slice(0, this.rows);
    const focused = document.activeElement && document.activeElement.dataset.key;
    const rows = shown.map((term) => {
      const button = el("button", { type: "button", class: "feature", "data-key": term.key,
        "aria-pressed": String(term.key === this.chosen), onclick: () => this.choose(term.key) },
      el("code", {}, term.name),
      el("span", { class: "with-bar" }, bar(part(Math.abs(term.contribution), most)),
        el("span", { class: "amount" }, number(term.contribution))),
      el("span", { class: "small" }, `${depths(term)}; ${term.masses[0]} and ${term.masses[1]} occurrences`
        + (oneLevel ? "" : ` over all levels; W1 ${number(term.distance, 3)}`)));
      return el("li", {}, button);
    });
    const rest = found.slice(this.rows);
    const sum = rest.reduce((a, term) => a + term.contribution, 0);
    refill(this.list, el("h3", {}, kernel.combine === "sum" ? "Shared features" : "Features"),
      found.length ? el("ol", { class: "features" }, rows) : el("p", { class: "empty" }, "They share nothing."),
      rest.length ? el("button", { type: "button", class: "more", onclick: () => { this.rows += 40; this.draw(); } },
        `Show more: ${plural(rest.length, "other feature")}, together ${number(sum)}`) : null,
      el("p", { class: "small" }, `All contributions add up to ${number(total)}. `,
        el("code", {}, "C(2xC, O)"), " is a vertex labelled C with three neighbours; deeper labels name the "
        + "neighbours of these as well, cut short with dots. A vertex without neighbours has the same label at "
        + "several depths, which are listed once, with their contributions added up."));
    if (focused) {
      const again = [...this.list.querySelectorAll("button[data-key]")].find((b) => b.dataset.key === focused);
      if (again) again.focus({ preventScroll: true });
    }
  }
}
