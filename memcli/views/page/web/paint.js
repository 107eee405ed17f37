// The graph on its canvas.

const radiusOf = (node) => 4 + Math.min(12, 2.2 * Math.sqrt(node.degree));

function paintGraph(canvas, paint, camera, shown, colours) {
  const dense = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = camera.scale;
  paint.setTransform(dense, 0, 0, dense, 0, 0);
  paint.clearRect(0, 0, width, height);
  const [left, top] = [width / 2 - camera.x * scale, height / 2 - camera.y * scale];
  paint.setTransform(dense * scale, 0, 0, dense * scale, dense * left, dense * top);
  const centre = shown.hovered ?? shown.chosen;
  const near = centre ? new Set([centre, ...centre.links.flatMap((link) => [link.source, link.target])]) : null;
  const taken = [];
  // Of hundreds, each is a thin shade.
  const strength = Math.max(0.22, Math.min(0.85, 90 / shown.links.length));
  for (const link of shown.links) {
    const beside = near && !(link.source === centre || link.target === centre);
    _paintLink(paint, link, scale, beside, near && !beside ? 0.85 : strength, colours);
  }
  paint.globalAlpha = 1;
  for (const node of shown.nodes) {
    paint.globalAlpha = near && !near.has(node) ? 0.25 : 1;
    paint.beginPath();
    paint.arc(node.x, node.y, radiusOf(node), 0, 2 * Math.PI);
    paint.fillStyle = node === shown.chosen ? colours.accent : colours.soft;
    paint.fill();
    paint.lineWidth = (node === shown.chosen || node === shown.hovered ? 2.5 : 1.5) / Math.max(scale, 0.6);
    paint.strokeStyle = colours.accent;
    paint.stroke();
  }
  paint.globalAlpha = 1;
  // Names last, and only where there is room: those that matter most first.
  const order = centre ? [...shown.nodes].sort((one, other) => near.has(other) - near.has(one)) : shown.nodes;
  for (const node of order) _paintName(paint, node, scale, near && !near.has(node), taken, colours);
  if (scale < 0.55 || !(near || shown.links.length < 60 || scale > 1.3)) return;
  for (const link of shown.links) {
    if (!near || link.source === centre || link.target === centre) _paintRelation(paint, link, scale, taken, colours);
  }
}

/** Where a link goes: from edge to edge of its entities, bent where there are several. */
function _courseOf({ source, target, bend }) {
  const dx = target.x - source.x;
  const dy = target.y - source.y;
  const far = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / far, dy / far];
  // The first goes straight, the second to one side, the third to the other …
  const side = bend % 2 ? 1 : -1;
  const aside = 26 * Math.ceil(Math.abs(bend) / 2) * (bend < 0 ? -side : side);
  const [mx, my] = [(source.x + target.x) / 2 - uy * aside, (source.y + target.y) / 2 + ux * aside];
  const [ex, ey] = [target.x - mx, target.y - my];
  const last = Math.hypot(ex, ey) || 1;
  const tip = [target.x - (ex / last) * (radiusOf(target) + 2), target.y - (ey / last) * (radiusOf(target) + 2)];
  const middle = [(source.x + 2 * mx + target.x) / 4, (source.y + 2 * my + target.y) / 4];
  return { control: [mx, my], tip, angle: Math.atan2(ey, ex), middle };
}

function _paintLink(paint, link, scale, faint, strength, colours) {
  paint.globalAlpha = faint ? strength * 0.25 : strength;
  paint.strokeStyle = paint.fillStyle = colours.muted;
  paint.lineWidth = 1.1 / Math.max(scale, 0.5);
  paint.setLineDash(link.over ? [5, 4] : []);
  paint.beginPath();
  if (link.source === link.target) {
    const radius = radiusOf(link.source);
    paint.arc(link.source.x, link.source.y - radius - 8, 9, 0.7, 2 * Math.PI + 0.3);
    paint.stroke();
    paint.setLineDash([]);
    return;
  }
  const { control, tip, angle } = _courseOf(link);
  paint.moveTo(link.source.x, link.source.y);
  paint.quadraticCurveTo(...control, ...tip);
  paint.stroke();
  paint.setLineDash([]);
  const length = 7 / Math.max(scale, 0.7);
  paint.beginPath();
  paint.moveTo(...tip);
  paint.lineTo(tip[0] - length * Math.cos(angle - 0.42), tip[1] - length * Math.sin(angle - 0.42));
  paint.lineTo(tip[0] - length * Math.cos(angle + 0.42), tip[1] - length * Math.sin(angle + 0.42));
  paint.fill();
}

/** Whether a box of the picture is still free; then it is taken. */
function _take(taken, x, y, width, height) {
  const box = [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
  const covers = (other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1];
  if (taken.some(covers)) return false;
  taken.push(box);
  return true;
}

const _short = (text, most) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

function _write(paint, text, x, y, colour, colours, scale) {
  paint.textAlign = "center";
  paint.textBaseline = "middle";
  paint.lineJoin = "round";
  paint.lineWidth = 4 / scale;
  paint.strokeStyle = colours.paper;
  paint.strokeText(text, x, y);
  paint.fillStyle = colour;
  paint.fillText(text, x, y);
}

function _paintName(paint, node, scale, faint, taken, colours) {
  const size = Math.max(12, 13 * Math.min(scale, 1.15)) / scale;
  const text = _short(node.name, 28);
  paint.font = `500 ${size}px system-ui, sans-serif`;
  const y = node.y + radiusOf(node) + size * 0.85;
  if (!_take(taken, node.x, y, paint.measureText(text).width + 6 / scale, size * 1.15)) return;
  paint.globalAlpha = faint ? 0.3 : 1;
  _write(paint, text, node.x, y, colours.ink, colours, scale);
  paint.globalAlpha = 1;
}

function _paintRelation(paint, link, scale, taken, colours) {
  const size = 10.5 / Math.min(scale, 1.2);
  const { source, target } = link;
  const [x, y] = source === target ? [source.x, source.y - radiusOf(source) - 24] : _courseOf(link).middle;
  const text = _short(link.relation.replaceAll("_", " "), 24);
  paint.font = `${size}px system-ui, sans-serif`;
  if (!_take(taken, x, y, paint.measureText(text).width, size * 1.1)) return;
  _write(paint, text, x, y, colours.muted, colours, scale);
}
