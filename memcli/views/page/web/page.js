// The page of memories: what is chosen, and who shows it.

const memories = data.memories;
for (const memory of memories) memory.at = Date.parse(memory.happened_at);

const always = { from: -Infinity, until: Infinity };
const period = { from: -Infinity, until: Infinity };
const filters = makeFilters(memories);
const asked = { only: null };
const updateFilters = filterForm(filters, period, () => update());
const showTimeline = makeTimeline(memories, period, () => update());
const showList = makeList(
  (tag) => {
    const filter = filters.find((each) => each.name === "tag");
    if (!filter.chosen.delete(tag)) filter.chosen.add(tag);
    update();
  },
  (id) => showMemories([id]),
);
const graph = makeGraph({ onMemories: (ids) => showMemories(ids) });
const order = byId("order");
order.append(...Object.entries(ORDERS).map(([value, { title }]) => element("option", { value, textContent: title })));
order.addEventListener("change", () => update());

/** Some memories alone, until something else is chosen. */
function showMemories(ids) {
  asked.only = new Set(ids);
  view("list");
  byId("main").focus({ preventScroll: true });
  scrollTo(0, 0);
}

function update() {
  asked.only = null;
  render();
}

function render() {
  const query = readQuery(byId("query").value);
  const { found, anyTime, numbers } = asked.only
    ? choose(memories.filter((memory) => asked.only.has(memory.id)), [], readQuery(""), always)
    : choose(memories, filters, query, period);
  const all = counted(memories.length, "memory", "memories");
  if (asked.only) {
    byId("status").replaceChildren(`${found.length.toLocaleString("en")} of ${all} `,
      button({ className: "quiet", textContent: "Show all again", onclick: update }));
  } else {
    updateFilters(numbers);
    byId("status").textContent = found.length === memories.length ? all : `${found.length.toLocaleString("en")} of ${all}`;
  }
  byId("filters-toggle").textContent = _chosen() ? `Filters (${_chosen()})` : "Filters";
  if (document.body.dataset.view === "graph") {
    const told = query.wanted.length ? new Set(found.map((memory) => memory.id)) : null;
    byId("status").textContent = graph.show(query.wanted, filters.find((each) => each.name === "space")?.chosen, told);
    return;
  }
  showTimeline(anyTime);
  showList(found, order.value, query.wanted);
}

/** How many filters are set, for the button that hides them on a small screen. */
function _chosen() {
  const within = period.from > -Infinity || period.until < Infinity;
  return filters.reduce((sum, filter) => sum + filter.chosen.size, Number(within));
}

function view(name) {
  document.body.dataset.view = name;
  for (const each of ["list", "graph"]) {
    byId(`show-${each}`).setAttribute("aria-pressed", String(each === name));
    byId(each).hidden = each !== name;
  }
  byId("entities").hidden = name !== "graph";
  render();
}

byId("about").textContent = `made ${minute(Date.parse(data.made))}`;
byId("query").placeholder = `Search ${counted(memories.length, "memory", "memories")}`;
byId("show-list").addEventListener("click", () => { asked.only = null; view("list"); });
byId("show-graph").addEventListener("click", () => { asked.only = null; view("graph"); });
byId("filters-toggle").addEventListener("click", (event) => {
  const open = event.target.getAttribute("aria-expanded") !== "true";
  event.target.setAttribute("aria-expanded", String(open));
});
offerSearch(update);
offerThemes(graph.recolour);
document.documentElement.classList.add("ready");
view(memories.length ? "list" : "graph");
