// The line of winnings by hand.

import { svgElement } from "./cards.js";

const WIDTH = 320;
const HEIGHT = 120;
const MARGIN = { left: 44, right: 8, top: 10, bottom: 20 };

export function drawGraph(svg, totals) {
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.replaceChildren();
  const low = Math.min(0, ...totals);
  const high = Math.max(0, ...totals);
  const span = high - low || 1;
  const x = (i) => MARGIN.left + ((WIDTH - MARGIN.left - MARGIN.right) * i) / Math.max(1, totals.length - 1);
  const y = (chips) => MARGIN.top + ((HEIGHT - MARGIN.top - MARGIN.bottom) * (high - chips)) / span;
  for (const chips of new Set([low, 0, high])) {
    const level = y(chips);
    svg.append(
      svgElement("line", { class: chips ? "grid" : "zero", x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: level, y2: level }),
    );
    const nearZero = chips !== 0 && Math.abs(level - y(0)) < 12;
    if (!nearZero) svg.append(label(signed(chips), MARGIN.left - 6, level + 4, "end"));
  }
  const points = totals.map((chips, i) => `${x(i).toFixed(1)},${y(chips).toFixed(1)}`);
  svg.append(svgElement("polyline", { class: "line", points: points.join(" ") }));
  const last = totals.length - 1;
  svg.append(svgElement("circle", { class: "dot", cx: x(last), cy: y(totals[last]), r: 3 }));
  svg.append(label("hand 0", MARGIN.left, HEIGHT - 4, "start"));
  if (last) svg.append(label(String(last), WIDTH - MARGIN.right, HEIGHT - 4, "end"));
}

export function signed(chips) {
  return chips > 0 ? `+${chips}` : chips < 0 ? `−${-chips}` : "0";
}

function label(text, x, y, anchor) {
  const made = svgElement("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}
