// Filters: within one, any of what is chosen; all of them together.

const STATES = {
  live: "live", past: "no longer true", ahead: "not yet true", forgotten: "forgotten", superseded: "corrected",
  merged: "merged", folded: "folded", updated: "updated", outweighed: "outweighed", deprecated: "deprecated",
  expired: "expired", decayed: "faded", pruned: "pruned", unsupported: "unsupported", undone: "undone",
};
const stateOf = (memory) => memory.state ?? "live";
const spaceOf = (memory) => memory.space ?? "default";
// So many values of a filter are offered at once, and on request; the search finds the others.
const FEW = 12;
const MOST = 300;

/** The filters that a page's memories give rise to: one that could choose nothing is left out. */
function makeFilters(memories) {
  const all = [
    { name: "kind", title: "Kind", of: (memory) => [memory.kind], order: data.kinds },
    { name: "space", title: "Space", of: (memory) => [spaceOf(memory)] },
    { name: "state", title: "State", of: (memory) => [stateOf(memory)], order: Object.keys(STATES), shown: STATES },
    {
      name: "trust", title: "Told by", of: (memory) => [memory.trusted === false ? "others" : "you"],
      shown: { you: "you, or whom you trust", others: "others (untrusted)" },
    },
    { name: "tag", title: "Tag", of: (memory) => memory.tags ?? [], least: 1 },
    { name: "session", title: "Session", of: (memory) => (memory.session ? [memory.session] : []), least: 1 },
  ];
  return all
    .map((filter) => {
      const values = _valuesOf(filter, memories);
      return { ...filter, chosen: new Set(), values: values.slice(0, MOST), number: values.length };
    })
    .filter((filter) => filter.values.length >= (filter.least ?? 2));
}

function _valuesOf(filter, memories) {
  const numbers = new Map();
  for (const memory of memories) {
    for (const value of filter.of(memory)) numbers.set(value, (numbers.get(value) ?? 0) + 1);
  }
  const values = [...numbers.keys()];
  if (filter.order) return values.sort((one, other) => filter.order.indexOf(one) - filter.order.indexOf(other));
  return values.sort((one, other) => numbers.get(other) - numbers.get(one) || (one < other ? -1 : 1));
}

/**
 * What is found; what would be at any time; and of each filter, how often each of its values stands in what
 * all the others let through.
 */
function choose(memories, filters, query, period) {
  const found = [];
  const anyTime = [];
  const numbers = filters.map(() => new Map());
  const asked = isAsked(query);
  for (const memory of memories) {
    if (asked && !answers(query, searchedText(memory))) continue;
    let failing = -1;
    let failed = 0;
    const values = filters.map((filter) => filter.of(memory));
    filters.forEach((filter, number) => {
      if (filter.chosen.size && !values[number].some((value) => filter.chosen.has(value))) {
        failing = number;
        failed += 1;
      }
    });
    const inTime = memory.at >= period.from && memory.at < period.until;
    if (failed === 0) anyTime.push(memory);
    if (!inTime || failed > 1) continue;
    if (failed === 0) found.push(memory);
    filters.forEach((_, number) => {
      if (failed && number !== failing) return;
      for (const value of values[number]) numbers[number].set(value, (numbers[number].get(value) ?? 0) + 1);
    });
  }
  return { found, anyTime, numbers };
}

/** The form of all filters and of a period; `onChange` is called when somebody chooses. */
function filterForm(filters, period, onChange) {
  const shows = filters.map((filter) => _fieldset(filter, onChange));
  const days = ["from", "until"].map((end) =>
    element("input", { type: "date", id: `${end}-day`, "aria-label": end === "from" ? "First day" : "Last day",
      onchange: (event) => {
        const day = event.target.value ? new Date(`${event.target.value}T00:00`) : null;
        if (day && end === "until") day.setDate(day.getDate() + 1);
        period[end] = day ? day.getTime() : end === "from" ? -Infinity : Infinity;
        onChange();
      } }));
  const clear = button({ className: "quiet clear", textContent: "Clear all", onclick: () => {
    filters.forEach((filter) => filter.chosen.clear());
    Object.assign(period, { from: -Infinity, until: Infinity });
    byId("query").value = "";
    onChange();
  } });
  byId("filters").replaceChildren(
    ...shows.map((show) => show.fieldset),
    element("fieldset", { className: "facet facet-time" }, element("legend", { textContent: "Time" }),
      element("div", { className: "days" }, days[0], element("span", { textContent: "–" }), days[1])),
    clear,
  );
  return (numbers) => {
    shows.forEach((show, number) => show.update(numbers[number]));
    days[0].value = period.from > -Infinity ? dayOf(period.from) : "";
    days[1].value = period.until < Infinity ? dayOf(period.until - 1) : "";
    const chosen = filters.some((filter) => filter.chosen.size) || days.some((day) => day.value) || byId("query").value;
    clear.disabled = !chosen;
  };
}

function _fieldset(filter, onChange) {
  const rows = filter.values.map((value) => {
    const box = element("input", { type: "checkbox", autocomplete: "off", onchange: () => {
      if (box.checked) filter.chosen.add(value);
      else filter.chosen.delete(value);
      onChange();
    } });
    const number = element("span", { className: "number" });
    const name = element("span", { className: "name", dir: "auto", textContent: filter.shown?.[value] ?? value });
    const className = filter.name === "kind" ? `choice kind-${value}` : "choice";
    const row = element("label", { className }, box, name, number);
    return { value, box, number, row };
  });
  let all = rows.length <= FEW;
  const of = filter.number > rows.length ? ` of ${filter.number.toLocaleString("en")}` : "";
  const more = button({ className: "quiet", textContent: of ? `${rows.length}${of}` : `All ${rows.length}`, onclick: () => {
    all = true;
    more.remove();
    rows[FEW].box.focus();
    rows.forEach(({ row }) => { row.hidden = false; });
  } });
  const fieldset = element("fieldset", { className: `facet facet-${filter.name}` },
    element("legend", { textContent: filter.title }), ...rows.map(({ row }) => row), all ? null : more);
  const update = (numbers) => rows.forEach(({ value, box, number, row }, place) => {
    box.checked = filter.chosen.has(value);
    number.textContent = (numbers.get(value) ?? 0).toLocaleString("en");
    row.classList.toggle("none", !numbers.get(value) && !box.checked);
    row.hidden = !all && place >= FEW && !box.checked;
  });
  return { fieldset, update };
}
