// The list: a stack of days. As many as are looked at are made, and more when the end comes into sight.

const _PORTION = 60;
// Signs of a text that are shown before somebody asks for more, and with each asking.
const _CLIP = 700;
const _CLIP_MORE = 50000;
const ORDERS = {
  newest: { title: "Newest first", by: (one, other) => other.at - one.at, days: true },
  oldest: { title: "Oldest first", by: (one, other) => one.at - other.at, days: true },
  important: { title: "Most important", by: (one, other) => (other.importance ?? 0.5) - (one.importance ?? 0.5) },
  used: { title: "Most used", by: (one, other) => (other.access_count ?? 0) - (one.access_count ?? 0) },
};
const _FIELDS = [
  ["session", "Session"], ["happened_at", "Happened"], ["valid_from", "True from"], ["valid_until", "True until"],
  ["expires_at", "Expires"], ["created_at", "Remembered"], ["ended_at", "Ended"], ["ended_why", "Why ended"],
  ["confidence", "Confidence"], ["importance", "Importance"], ["source", "Source"], ["origin", "Came in by"],
  ["access_count", "Recalled"], ["confirm_count", "Confirmed"],
];

/** What shows a list of memories; `onTag` is called with a tag that somebody chooses. */
function makeList(onTag, onMemory) {
  const shown = byId("list");
  const more = button({ className: "more", onclick: () => extend(true) });
  let memories = [];
  let pieces = [];
  let days = true;
  let done = 0;
  let day = null;
  let rows = null;

  const extend = (focus = false) => {
    const first = done;
    for (const memory of memories.slice(done, done + _PORTION)) {
      const here = days ? dayOf(memory.at) : "";
      if (here !== day || !rows) {
        day = here;
        rows = element("ol", { className: "rows" });
        const time = element("time", { dateTime: here, textContent: longDay.format(memory.at) });
        more.before(element("section", { className: "day" }, days ? element("h2", {}, time) : null, rows));
      }
      rows.append(_row(memory, pieces, !days, onTag, onMemory));
      done += 1;
    }
    more.hidden = done >= memories.length;
    more.textContent = `Show more (${(memories.length - done).toLocaleString("en")} left)`;
    if (focus) shown.querySelectorAll(".memory")[first]?.querySelector("button.open").focus();
  };
  const watch = new IntersectionObserver((seen) => {
    if (!seen.some((each) => each.isIntersecting) || done >= memories.length) return;
    extend();
    // Where it is in sight still, it is told once more.
    watch.unobserve(more);
    watch.observe(more);
  }, { rootMargin: "1200px" });
  watch.observe(more);
  // On paper there is nothing to ask for more with.
  addEventListener("beforeprint", () => { while (done < memories.length) extend(); });

  return (found, order, wanted) => {
    [memories, pieces, days] = [[...found].sort(ORDERS[order].by), wanted, Boolean(ORDERS[order].days)];
    [done, day, rows] = [0, null, null];
    shown.replaceChildren(more);
    const nothing = "Nothing fits. Fewer words or filters show more.";
    if (!memories.length) more.before(element("p", { className: "nothing", textContent: nothing }));
    extend();
  };
}

function _row(memory, pieces, dated, onTag, onMemory) {
  const text = element("p", { className: "text", dir: "auto" });
  _fillText(text, memory.text, pieces, _CLIP);
  const about = element("p", { className: "about" }, element("span", { className: "kind", textContent: memory.kind }));
  const note = (words, className = "") => about.append(element("span", { textContent: words, className, dir: "auto" }));
  if (dated) note(dayOf(memory.at));
  if (memory.state) note(STATES[memory.state] ?? memory.state, "state");
  if (memory.trusted === false) note("untrusted", "untrusted");
  if (memory.confidence !== undefined) note(`${Math.round(memory.confidence * 100)} % sure`);
  if (memory.space) note(memory.space, "space");
  for (const tag of memory.tags ?? []) {
    about.append(button({ className: "tag", dir: "auto", textContent: `#${tag}`, onclick: () => onTag(tag) }));
  }
  const short = shortId(memory.id);
  const open = button({ className: "open quiet", "aria-expanded": "false", "aria-label": `Details of memory ${short}`,
    textContent: short });
  const row = element("li", { className: `memory kind-${memory.kind} ${isOver(memory) ? "over" : ""}` },
    element("div", { className: "said" }, text, about), open);
  let details = null;
  const toggle = () => {
    details ??= row.querySelector(".said").appendChild(_details(memory, onMemory));
    details.hidden = open.getAttribute("aria-expanded") === "true";
    open.setAttribute("aria-expanded", String(!details.hidden));
  };
  open.addEventListener("click", toggle);
  text.addEventListener("click", (event) => {
    if (!event.target.closest("button") && !String(getSelection())) toggle();
  });
  return row;
}

/** Whether it is true no longer, or was taken back: it is struck through. */
const isOver = (memory) => Boolean(memory.state) && memory.state !== "ahead";
const shortId = (id) => id.slice(-8);

/** Part of a text, and a button for more of it: a megabyte at once would stop the page. */
function _fillText(shown, text, pieces, clip) {
  let start = 0;
  let end = clip;
  if (clip === _CLIP && text.length > clip && pieces.length) {
    // Where the search found something, that is what one wants to see.
    const at = folded(text).indexOf(pieces[0]);
    if (at > clip - 100) [start, end] = [at - clip / 2, at + clip / 2];
  }
  // A pair of surrogates is one sign.
  if (/[\udc00-\udfff]/.test(text[start] ?? "")) start -= 1;
  if (/[\udc00-\udfff]/.test(text[end] ?? "")) end += 1;
  shown.replaceChildren(start ? "… " : "", ...marked(text.slice(start, end), pieces));
  if (!start && end >= text.length) return;
  const more = clip === _CLIP ? _CLIP_MORE : clip + _CLIP_MORE;
  shown.append("… ", button({ className: "quiet rest", textContent: `more (${counted(text.length, "sign")})`,
    onclick: () => _fillText(shown, text, clip === _CLIP ? pieces : [], more) }));
}

function _details(memory, onMemory) {
  const list = element("dl", { className: "details" });
  const add = (name, ...values) =>
    list.append(element("dt", { textContent: name }), element("dd", { dir: "auto" }, ...values));
  if (memory.more) list.append(element("dd", { className: "wide", dir: "auto", textContent: memory.more }));
  add("Id", element("code", { textContent: memory.id }));
  for (const [name, title] of _FIELDS) {
    const value = memory[name];
    if (value === undefined) continue;
    if (name.endsWith("_at") || name.startsWith("valid_")) add(title, minute(Date.parse(value)));
    else if (name === "confidence" || name === "importance") add(title, `${Math.round(value * 100)} %`);
    else if (name.endsWith("_count")) add(title, counted(value, "time"));
    else add(title, value);
  }
  for (const [name, title] of [["replaced_by", "Replaced by"], ["supersedes", "In place of"]]) {
    const other = memory[name];
    if (other) add(title, button({ className: "quiet", textContent: shortId(other), onclick: () => onMemory(other) }));
  }
  return list;
}
