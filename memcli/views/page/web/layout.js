// Where the entities of a graph stand: they push each other away, links pull them together
// (Fruchterman and Reingold 1991), and what is not linked stays near the middle all the same.

const _LENGTH = 100;
const _PUSH = 420;
const _GRAVITY = 0.04;

/** Places on a spiral, the most linked in the middle: the same graph begins the same way each time. */
function placeAtFirst(nodes) {
  nodes.forEach((node, place) => {
    const radius = 26 * Math.sqrt(place + 0.5);
    const angle = place * Math.PI * (3 - Math.sqrt(5));
    Object.assign(node, { x: radius * Math.cos(angle), y: radius * Math.sin(angle), vx: 0, vy: 0 });
  });
}

/**
 * One step; `heat` from 1 to 0 is how far anything may move, `wide` how much wider than high all of it may
 * be. What is `held` stays.
 */
function stepLayout(nodes, links, heat, wide = 1) {
  const number = nodes.length;
  for (let i = 0; i < number; i++) {
    const one = nodes[i];
    for (let j = i + 1; j < number; j++) {
      const other = nodes[j];
      let dx = one.x - other.x;
      let dy = one.y - other.y;
      const square = dx * dx + dy * dy;
      if (square > 360000) continue;
      if (square < 0.01) {
        // Two on one spot: apart by their numbers, not by chance.
        dx = 0.1 * ((i % 7) - 3);
        dy = 0.1 * ((j % 5) - 2) + 0.05;
      }
      const push = (_PUSH / Math.max(square, 100)) * heat;
      one.vx += dx * push;
      one.vy += dy * push;
      other.vx -= dx * push;
      other.vy -= dy * push;
    }
  }
  for (const { source, target } of links) {
    if (source === target) continue;
    const dx = target.x - source.x;
    const dy = target.y - source.y;
    const far = Math.hypot(dx, dy) || 0.1;
    // A hub is not torn about by each of its many.
    const strength = 1 / Math.min(source.degree, target.degree);
    const pull = ((far - _LENGTH) / far) * 0.35 * strength * heat;
    const share = source.degree / (source.degree + target.degree);
    source.vx += dx * pull * (1 - share);
    source.vy += dy * pull * (1 - share);
    target.vx -= dx * pull * share;
    target.vy -= dy * pull * share;
  }
  for (const node of nodes) {
    if (node.held) {
      node.vx = node.vy = 0;
      continue;
    }
    node.vx = (node.vx - (node.x * _GRAVITY * heat) / wide) * 0.6;
    node.vy = (node.vy - node.y * _GRAVITY * heat) * 0.6;
    node.x += Math.max(-60, Math.min(60, node.vx));
    node.y += Math.max(-60, Math.min(60, node.vy));
  }
}
