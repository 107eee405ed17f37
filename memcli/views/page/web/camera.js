// What part of a picture is seen, and how near: dragging, the wheel, two fingers and keys move it.

/** A camera over a canvas. `pick(x, y)` gives what may be dragged at a place of the picture, or null. */
function makeCamera(canvas, { pick, onDrag, onDrop, onClick, onHover, onMove }) {
  const camera = { x: 0, y: 0, scale: 1, moved: false };
  const fingers = new Map();
  let held = null;
  let begun = null;
  let apart = 0;

  const size = () => [canvas.clientWidth, canvas.clientHeight];
  camera.toPicture = (x, y) => {
    const [width, height] = size();
    return [(x - width / 2) / camera.scale + camera.x, (y - height / 2) / camera.scale + camera.y];
  };
  camera.zoom = (factor, x = size()[0] / 2, y = size()[1] / 2) => {
    const [px, py] = camera.toPicture(x, y);
    camera.scale = Math.max(0.05, Math.min(6, camera.scale * factor));
    const [qx, qy] = camera.toPicture(x, y);
    camera.x += px - qx;
    camera.y += py - qy;
    camera.moved = true;
    onMove();
  };
  camera.pan = (dx, dy) => {
    camera.x -= dx / camera.scale;
    camera.y -= dy / camera.scale;
    camera.moved = true;
    onMove();
  };
  /** So that all of some places is seen. */
  camera.fit = (nodes) => {
    const [width, height] = size();
    if (!nodes.length || !width) return;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { x, y } of nodes) {
      [left, top] = [Math.min(left, x), Math.min(top, y)];
      [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
    }
    camera.x = (left + right) / 2;
    camera.y = (top + bottom) / 2;
    camera.scale = Math.max(0.05, Math.min(1.6, width / (right - left + 190), height / (bottom - top + 110)));
    camera.moved = false;
    onMove();
  };

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const spread = () => {
    const [[ax, ay], [bx, by]] = [...fingers.values()];
    return [Math.hypot(ax - bx, ay - by), (ax + bx) / 2, (ay + by) / 2];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, place(event));
    begun = place(event);
    held = fingers.size === 1 ? pick(...camera.toPicture(...begun)) : null;
    if (fingers.size === 2) [apart] = spread();
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (!fingers.has(event.pointerId)) {
      onHover(pick(...camera.toPicture(x, y)));
      return;
    }
    const [oldX, oldY] = fingers.get(event.pointerId);
    fingers.set(event.pointerId, [x, y]);
    if (fingers.size === 2) {
      const [now, middleX, middleY] = spread();
      if (apart) camera.zoom(now / apart, middleX, middleY);
      apart = now;
    } else if (held) {
      if (begun && Math.hypot(x - begun[0], y - begun[1]) > 3) begun = null;
      if (!begun) onDrag(held, ...camera.toPicture(x, y));
    } else {
      if (begun && Math.hypot(x - begun[0], y - begun[1]) > 3) begun = null;
      camera.pan(x - oldX, y - oldY);
    }
  });
  const lift = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    if (begun && event.type === "pointerup") onClick(held);
    if (held) onDrop(held);
    held = begun = null;
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...place(event));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (step) camera.pan(...step);
    else if (event.key === "+" || event.key === "=") camera.zoom(1.25);
    else if (event.key === "-") camera.zoom(0.8);
    else return;
    event.preventDefault();
  });
  return camera;
}
