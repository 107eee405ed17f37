// Elements. What comes out of the data goes in as text: nothing of it is ever read as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** An element with properties (`on…` are listeners, `data-…` and `aria-…` attributes) and children. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name.includes("-")) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The same of a picture (SVG), where all are attributes. */
function drawn(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function button(properties, ...children) {
  return element("button", { type: "button", ...properties }, ...children);
}

const counted = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** The day of an instant, here where it is read: `2026-05-03`. */
function dayOf(time) {
  const at = new Date(time);
  const year = String(Math.abs(at.getFullYear())).padStart(4, "0");
  return `${year}-${String(at.getMonth() + 1).padStart(2, "0")}-${String(at.getDate()).padStart(2, "0")}`;
}

const longDay = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric" });
const minute = (time) => `${dayOf(time)} ${new Date(time).toTimeString().slice(0, 5)}`;

/** `doing` a moment after the last of many calls. */
function calmly(doing, wait = 90) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(doing, wait);
  };
}

/** The button that goes through the looks of a page: as the system has it, light, dark. */
function offerThemes(onChange = () => {}) {
  const looks = ["auto", "light", "dark"];
  const signs = { auto: "◐", light: "☀", dark: "☾" };
  let look = "auto";
  const show = () => {
    document.documentElement.dataset.look = look;
    byId("theme").textContent = signs[look];
    byId("theme").setAttribute("aria-label", `Colours: ${look}`);
    byId("theme").title = `Colours: ${look}`;
    onChange();
  };
  byId("theme").addEventListener("click", () => {
    look = looks[(looks.indexOf(look) + 1) % looks.length];
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", onChange);
  show();
}

/** Where to search: `/` leads there, Escape empties it. */
function offerSearch(onChange) {
  const query = byId("query");
  query.addEventListener("input", calmly(onChange));
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      query.select();
      query.focus();
    } else if (event.key === "Escape" && query.value && (!typing || typing === query)) {
      query.value = "";
      onChange();
    }
  });
}
