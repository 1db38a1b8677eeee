// Put the page together.

const pairView = new PairView();
const root = document.getElementById("page");
root.append(header());

if (data.kind === "pair") {
  root.append(pairView.element, filtrationSection());
  pairView.show(0, 1);
} else {
  const compare = (i, j, quiet) => {
    const why = pairView.show(i, j);
    if (!quiet) bringIntoView(pairView.heading);
    return why;
  };
  const mapView = new MapView(compare, () => pairView.clear());
  const showFeature = (feature, button) => {
    const wanted = button.getAttribute("aria-pressed") !== "true";
    for (const other of document.querySelectorAll("#telling button.feature")) {
      other.setAttribute("aria-pressed", String(wanted && other === button));
    }
    mapView.mark(wanted ? witnessed(feature) : null);
    mapView.say(wanted ? `${plural(feature.graphs.length, "graph")} on the map have ${feature.name}.` : "");
    bringIntoView(mapView.element);
  };
  root.append(dataSection(), filtrationSection(), accuracySection(), mapView.element, pairView.element,
    tellingSection(showFeature));
  mapView.place();
  if (data.start) mapView.pick(data.start, true);
}
root.append(el("footer", {}, el("p", { class: "small" }, data.made)));
globalThis.grafik = { explain, importance, usualRanges, data };

// The key of a feature, from a vertex and a level where it is.
function witnessed(feature) {
  if (!feature.witness) return { ...feature, key: null, example: -1 };
  const [place, vertex, level] = feature.witness;
  const word = labelsAt(graphs[place], level)[feature.depth][vertex];
  return { ...feature, key: `${feature.depth}:${word}`, example: place };
}
