// The graph: entities and links on a canvas; beside it the same as lists, for keys and for screen readers.

// Of a larger graph the neighbourhood of what is searched is shown, of no more than HOOD entities.
const LARGE = 400;
const HOOD = 150;

/** What shows the graph of the data. `onMemories` gets a list of ids to be shown; without it nobody can ask. */
function makeGraph({ onMemories = null } = {}) {
  const { entities, links } = readGraph();
  const canvas = element("canvas", { tabIndex: 0, role: "img" });
  const paint = canvas.getContext("2d");
  const shown = { nodes: [], links: [], chosen: null, hovered: null, heat: 0 };
  const colours = {};
  let waiting = false;

  const camera = makeCamera(canvas, {
    pick: (x, y) => {
      let nearest = null;
      let least = 14 / camera.scale;
      for (const node of shown.nodes) {
        const far = Math.hypot(node.x - x, node.y - y) - radiusOf(node);
        if (far < least) [nearest, least] = [node, far];
      }
      return nearest;
    },
    onDrag: (node, x, y) => {
      Object.assign(node, { x, y, held: true });
      shown.heat = Math.max(shown.heat, 0.25);
      draw();
    },
    onDrop: (node) => { node.held = false; },
    onClick: (node) => select(node),
    onHover: (node) => {
      canvas.classList.toggle("over", Boolean(node));
      if (shown.hovered !== node) {
        shown.hovered = node;
        draw();
      }
    },
    onMove: () => draw(),
  });

  const wide = () => Math.max(1, Math.min(2.2, (canvas.clientWidth / (canvas.clientHeight || 1)) ** 1.5 || 1));
  const tool = (sign, title, onclick) => button({ textContent: sign, "aria-label": title, title, onclick });
  const tools = element("div", { className: "tools" },
    tool("+", "Nearer", () => camera.zoom(1.3)),
    tool("−", "Farther", () => camera.zoom(1 / 1.3)),
    tool("⤢", "Show all of it", () => camera.fit(shown.nodes)));
  const nothing = element("p", { className: "nothing", hidden: true });
  byId("graph").replaceChildren(canvas, tools, nothing);

  const draw = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (shown.heat > 0.01) {
        stepLayout(shown.nodes, shown.links, shown.heat, wide());
        shown.heat *= 0.985;
        if (!camera.moved && !shown.nodes.some((node) => node.held)) camera.fit(shown.nodes);
        draw();
      }
      paintGraph(canvas, paint, camera, shown, colours);
    });
  };
  const select = (node) => {
    shown.chosen = node;
    draw();
    tellEntity();
  };
  const tellEntity = () => {
    const list = shown.nodes.slice(0, LARGE).map((node) => element("li", {},
      button({ className: "entity", onclick: () => select(node) },
        element("span", { dir: "auto", textContent: node.name }),
        element("span", { className: "number", textContent: node.degree }))));
    const hint = shown.nodes.length ? "Choose an entity, here or in the picture, to see what is linked to it." : "";
    byId("entities").replaceChildren(
      shown.chosen
        ? entityPanel(shown.chosen, select, onMemories)
        : element("p", { className: "hint", textContent: hint }),
      element("h2", { textContent: counted(shown.nodes.length, "entity", "entities") }),
      element("ol", { className: "entities" }, ...list));
  };
  const recolour = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "muted", "accent", "paper", "soft"]) {
      colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
    draw();
  };
  new ResizeObserver(() => {
    const dense = devicePixelRatio || 1;
    [canvas.width, canvas.height] = [canvas.clientWidth * dense, canvas.clientHeight * dense];
    if (!camera.moved) camera.fit(shown.nodes);
    draw();
  }).observe(canvas);

  /**
   * Show what a query's pieces name, and what is linked to that; what `told` (ids of memories) say, too. With
   * `spaces` (a set) only theirs. Gives the line that says how much that is.
   */
  const show = (query, spaces, told) => {
    const within = entities.filter((node) => !spaces?.size || spaces.has(node.space ?? "default"));
    const asked = query.length > 0;
    const isTold = (link) => link.told?.some((id) => told?.has(id));
    const seeds = asked ? within.filter((node) => isNamed(node, query) || node.links.some(isTold)) : within;
    const whole = !asked && within.length <= LARGE;
    const some = whole ? new Set(within) : neighbourhood(seeds.slice(0, HOOD), asked ? HOOD * 2 : HOOD);
    const before = new Set(shown.nodes);
    shown.nodes = within.filter((node) => some.has(node));
    shown.links = links.filter((link) => some.has(link.source) && some.has(link.target));
    if (shown.nodes.length !== before.size || shown.nodes.some((node) => !before.has(node))) {
      placeAtFirst(shown.nodes);
      // Most of the way before it is seen; those who want no motion see none.
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const until = performance.now() + 350;
      shown.heat = 1;
      for (let step = 0; step < 300 && (still || step < 140) && performance.now() < until; step++) {
        stepLayout(shown.nodes, shown.links, shown.heat, wide());
        shown.heat *= 0.988;
      }
      if (still) shown.heat = 0;
      camera.fit(shown.nodes);
    }
    if (!some.has(shown.chosen)) shown.chosen = null;
    nothing.hidden = shown.nodes.length > 0;
    nothing.textContent = entities.length
      ? "No entity of that name."
      : "Nothing is linked yet: `mem link Ann works_at Acme` links two entities.";
    tools.hidden = canvas.hidden = !shown.nodes.length;
    const number = counted(shown.nodes.length, "entity", "entities");
    const linked = counted(shown.links.length, "link");
    canvas.setAttribute("aria-label", `Graph of ${number} and ${linked}; the list of entities says the same. `
      + "Arrow keys move it, plus and minus zoom.");
    tellEntity();
    draw();
    if (shown.nodes.length === within.length) return `${number}, ${linked}`;
    const part = `${shown.nodes.length.toLocaleString("en")} of ${counted(within.length, "entity", "entities")}, ${linked}`;
    return asked ? part : `${part}: those with most links; search for others`;
  };
  return { show, recolour };
}

/** The data's entities with their links and how many they are, the most linked first. */
function readGraph() {
  const entities = data.graph.entities.map((entity) => ({ ...entity, links: [], degree: 0 }));
  const links = data.graph.links.map((link) => ({ ...link, source: entities[link.from], target: entities[link.to] }));
  for (const link of links) {
    for (const node of new Set([link.source, link.target])) {
      node.links.push(link);
      node.degree += 1;
    }
  }
  // Beside each other they would be one line: each further link between two is bent a little more.
  const between = new Map();
  for (const link of links) {
    const pair = [link.from, link.to].sort((one, other) => one - other).join("-");
    link.bend = Math.min(between.get(pair) ?? 0, 4);
    between.set(pair, link.bend + 1);
    if (link.from > link.to && link.bend) link.bend *= -1;
  }
  return { entities: [...entities].sort((one, other) => other.degree - one.degree), links };
}

const isNamed = (node, query) => {
  node.sought ??= folded([node.name, ...(node.aliases ?? [])].join("\n"));
  return query.every((piece) => node.sought.includes(piece));
};

/** Some entities and those linked to them, then those linked to these, up to a number. */
function neighbourhood(seeds, most) {
  const some = new Set(seeds);
  let edge = seeds;
  for (let hop = 0; hop < 2 && some.size < most && edge.length; hop++) {
    const next = [];
    for (const node of edge) {
      for (const link of node.links) {
        const other = link.source === node ? link.target : link.source;
        if (some.size < most && !some.has(other)) {
          some.add(other);
          next.push(other);
        }
      }
    }
    edge = next;
  }
  return some;
}

/** An entity and what is linked to it, in words. */
function entityPanel(node, onEntity, onMemories) {
  const notes = (text, tag = "p") => element(tag, { className: "notes", dir: "auto", textContent: text });
  const rows = node.links.map((link) => {
    const forward = link.source === node;
    const other = forward ? link.target : link.source;
    const relation = forward ? `${link.relation} →` : `← ${link.relation}`;
    return element("li", { className: link.over ? "over" : "" },
      element("span", { className: "relation", dir: "auto", textContent: relation }), " ",
      button({ className: "quiet", dir: "auto", textContent: other.name, onclick: () => onEntity(other) }),
      ...(link.notes ? [" ", notes(`(${link.notes})`, "span")] : []));
  });
  const told = [...new Set(node.links.flatMap((link) => link.told ?? []))];
  const say = `${counted(told.length, "memory", "memories")} that ${told.length === 1 ? "says" : "say"} so`;
  return element("section", { className: "chosen", "aria-live": "polite" },
    element("h2", { dir: "auto", textContent: node.name }),
    node.aliases?.length ? notes(`also ${node.aliases.join(", ")}`) : null,
    element("ul", {}, ...rows),
    told.length && onMemories ? button({ className: "quiet", textContent: say, onclick: () => onMemories(told) }) : null);
}
