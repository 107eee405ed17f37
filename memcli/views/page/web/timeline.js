// The timeline: how many memories, and of which kinds, over time. Dragging over it chooses a period.

// The lengths that a bucket may have: when the one begins in which a day lies, and when the next does.
const _UNITS = [
  {
    start: (d) => new Date(d.getFullYear(), d.getMonth(), d.getDate()),
    step: (d) => d.setDate(d.getDate() + 1),
    name: (d) => longDay.format(d),
  },
  {
    start: (d) => new Date(d.getFullYear(), d.getMonth(), d.getDate() - ((d.getDay() + 6) % 7)),
    step: (d) => d.setDate(d.getDate() + 7),
    name: (d) => `week of ${longDay.format(d)}`,
  },
  {
    start: (d) => new Date(d.getFullYear(), d.getMonth(), 1),
    step: (d) => d.setMonth(d.getMonth() + 1),
    name: (d) => d.toLocaleDateString("en-GB", { month: "long", year: "numeric" }),
  },
  ...[1, 10, 100].map((years) => ({
    start: (d) => _firstDay(Math.floor(d.getFullYear() / years) * years),
    step: (d) => d.setFullYear(d.getFullYear() + years),
    name: (d) => (years === 1 ? `${d.getFullYear()}` : `${d.getFullYear()} and ${years - 1} years after`),
  })),
];
const _MOST = 120;
const _FLOOR = 66;

/** The first day of a year; a Date made of a year below 100 would be one of the last century. */
function _firstDay(year) {
  const day = new Date(2000, 0, 1);
  day.setFullYear(year);
  return day;
}

/** The buckets between two instants: their edges, one more than buckets, and what each is called. */
function _buckets(first, last) {
  for (const unit of _UNITS) {
    const edges = [unit.start(new Date(first))];
    while (edges.length <= _MOST && edges.at(-1).getTime() <= last) {
      const next = new Date(edges.at(-1));
      unit.step(next);
      edges.push(next);
    }
    if (edges.at(-1).getTime() > last) {
      return { edges: edges.map((edge) => edge.getTime()), name: (number) => unit.name(edges[number]) };
    }
  }
  return null;
}

/** A timeline of memories; `period` is what it changes, and `onChange` what it calls then. */
function makeTimeline(memories, period, onChange) {
  const times = memories.map((memory) => memory.at);
  const first = times.reduce((least, time) => Math.min(least, time), Infinity);
  const last = times.reduce((most, time) => Math.max(most, time), -Infinity);
  const buckets = memories.length ? _buckets(first, last) : null;
  const shown = byId("timeline");
  if (!buckets) {
    shown.hidden = true;
    return () => {};
  }
  const { edges, name } = buckets;
  const number = edges.length - 1;
  const bars = drawn("g", { class: "bars" });
  const range = drawn("rect", { class: "range", y: 0, height: _FLOOR, width: 0 });
  const cursor = drawn("rect", { class: "cursor", y: 0, height: _FLOOR, width: 1000 / number });
  const picture = drawn("svg",
    { viewBox: `0 0 1000 ${_FLOOR}`, preserveAspectRatio: "none", "aria-hidden": "true" }, range, bars, cursor);
  const told = element("p", { className: "told" });
  const plot = element("div", { className: "plot", tabIndex: 0, role: "slider", "aria-label": "Timeline",
    "aria-valuemin": 0, "aria-valuemax": number - 1, "aria-valuenow": number - 1 }, picture, _axis(edges));
  const whole = button({ className: "quiet", textContent: "All time", onclick: () => choosePeriod(null) });
  shown.replaceChildren(element("div", { className: "timeline-head" }, told, whole), plot);
  let counts = [];
  let at = number - 1;
  let anchor = null;

  const bucketAt = (time) => {
    let low = 0;
    let high = number - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (edges[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const choosePeriod = (from, until = from) => {
    period.from = from === null ? -Infinity : edges[Math.min(from, until)];
    period.until = from === null ? Infinity : edges[Math.max(from, until) + 1];
    onChange();
  };
  const isWithin = () => period.from > -Infinity || period.until < Infinity;
  const tell = (bucket = null) => {
    if (bucket !== null) {
      const sum = counts[bucket] ? [...counts[bucket].values()].reduce((one, other) => one + other, 0) : 0;
      told.textContent = `${name(bucket)}: ${counted(sum, "memory", "memories")}`;
    } else {
      const from = Math.max(period.from, edges[0]);
      const until = Math.min(period.until, edges[number]) - 1;
      told.textContent = `${longDay.format(from)} – ${longDay.format(until)}`;
    }
    plot.setAttribute("aria-valuetext", told.textContent);
  };
  const point = (bucket) => {
    at = Math.max(0, Math.min(number - 1, bucket));
    cursor.setAttribute("x", (at * 1000) / number);
    plot.setAttribute("aria-valuenow", at);
    tell(at);
  };
  const bucketUnder = (event) => {
    const box = picture.getBoundingClientRect();
    return Math.max(0, Math.min(number - 1, Math.floor(((event.clientX - box.left) / box.width) * number)));
  };
  plot.addEventListener("pointerdown", (event) => {
    anchor = bucketUnder(event);
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    point(bucketUnder(event));
    if (anchor !== null) _place(range, Math.min(anchor, at), Math.max(anchor, at) + 1, number);
  });
  plot.addEventListener("pointerup", (event) => {
    if (anchor === null) return;
    const end = bucketUnder(event);
    const again = end === anchor && period.from === edges[end] && period.until === edges[end + 1];
    choosePeriod(again ? null : anchor, end);
    anchor = null;
  });
  plot.addEventListener("pointercancel", () => { anchor = null; });
  plot.addEventListener("pointerleave", () => { if (anchor === null) tell(); });
  plot.addEventListener("blur", () => tell());
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -number, End: number }[event.key];
    if (step !== undefined) {
      const before = at;
      point(at + step);
      if (event.shiftKey) {
        anchor ??= before;
        choosePeriod(anchor, at);
        point(at);
      } else anchor = null;
    } else if (event.key === "Enter" || event.key === " ") choosePeriod(at);
    else if (event.key === "Escape" && isWithin()) choosePeriod(null);
    else return;
    event.preventDefault();
  });

  return (found) => {
    counts = Array.from({ length: number }, () => null);
    for (const memory of found) {
      const kinds = (counts[bucketAt(memory.at)] ??= new Map());
      kinds.set(memory.kind, (kinds.get(memory.kind) ?? 0) + 1);
    }
    const sums = counts.map((kinds) => (kinds ? [...kinds.values()].reduce((one, other) => one + other, 0) : 0));
    const most = Math.max(1, ...sums);
    const width = 1000 / number;
    const gap = number > 1 ? Math.min(width * 0.18, 3) : 0;
    bars.replaceChildren();
    counts.forEach((kinds, place) => {
      let top = _FLOOR;
      for (const kind of kinds ? data.kinds.filter((each) => kinds.has(each)) : []) {
        // A root: beside a day of a thousand, one of three is still seen.
        const height = Math.max((kinds.get(kind) / sums[place]) * Math.sqrt(sums[place] / most) * (_FLOOR - 4), 1.5);
        top -= height;
        const x = place * width + gap / 2;
        bars.append(drawn("rect", { class: `kind-${kind}`, x, y: top, width: width - gap, height }));
      }
    });
    const within = isWithin();
    picture.classList.toggle("chosen", within);
    const from = within ? bucketAt(Math.max(period.from, edges[0])) : 0;
    _place(range, from, within ? bucketAt(Math.min(period.until, edges[number]) - 1) + 1 : 0, number);
    whole.hidden = !within;
    tell();
  };
}

function _place(rectangle, from, until, number) {
  rectangle.setAttribute("x", (from * 1000) / number);
  rectangle.setAttribute("width", ((until - from) * 1000) / number);
}

/** Up to six instants below the plot. */
function _axis(edges) {
  const number = edges.length - 1;
  const span = edges[number] - edges[0];
  // Milliseconds: of ten years the months are told, of two months the days.
  const long = { month: "short", year: "numeric" };
  const form = span > 3.2e11 ? { year: "numeric" } : span > 5e9 ? long : { day: "numeric", month: "short" };
  const shown = new Intl.DateTimeFormat("en-GB", form);
  const axis = element("div", { className: "axis", "aria-hidden": "true" });
  const every = Math.max(1, Math.ceil(number / 6));
  let before = "";
  for (let place = 0; place < number; place += every) {
    const text = shown.format(edges[place]);
    const tick = element("span", { textContent: text === before ? "" : text });
    // The last ones end where their instant does, lest they stand out of the page.
    const after = 100 - (Math.min(place + every, number) / number) * 100;
    if (place > 0 && place + every >= number) tick.style.right = `${after}%`;
    else tick.style.left = `${(place / number) * 100}%`;
    axis.append(tick);
    before = text;
  }
  return axis;
}
