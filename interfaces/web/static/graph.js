// Running totals by hand, one line or several.

import { svgElement } from "./cards.js";

const MARGIN = { left: 44, right: 8, top: 10, bottom: 20 };

// `lines`: { className, totals } each, totals by hand from 0 on.
export function drawGraph(svg, lines, { width = 320, height = 120 } = {}) {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  const every = lines.flatMap((one) => one.totals);
  const low = Math.min(0, ...every);
  const high = Math.max(0, ...every);
  const span = high - low || 1;
  const longest = Math.max(1, ...lines.map((one) => one.totals.length - 1));
  const x = (i) => MARGIN.left + ((width - MARGIN.left - MARGIN.right) * i) / longest;
  const y = (total) => MARGIN.top + ((height - MARGIN.top - MARGIN.bottom) * (high - total)) / span;
  for (const total of new Set([low, 0, high])) {
    const level = y(total);
    svg.append(
      svgElement("line", { class: total ? "grid" : "zero", x1: MARGIN.left, x2: width - MARGIN.right, y1: level, y2: level }),
    );
    const nearZero = total !== 0 && Math.abs(level - y(0)) < 12;
    if (!nearZero) svg.append(label(signed(rounded(total)), MARGIN.left - 6, level + 4, "end"));
  }
  for (const { className, totals } of lines) {
    const points = totals.map((total, i) => `${x(i).toFixed(1)},${y(total).toFixed(1)}`);
    svg.append(svgElement("polyline", { class: `line ${className}`, points: points.join(" ") }));
    const last = totals.length - 1;
    svg.append(svgElement("circle", { class: `dot ${className}`, cx: x(last), cy: y(totals[last]), r: 3 }));
  }
  svg.append(label("hand 0", MARGIN.left, height - 4, "start"));
  svg.append(label(String(longest), width - MARGIN.right, height - 4, "end"));
}

function rounded(total) {
  return Math.abs(total) < 10 ? Math.round(10 * total) / 10 : Math.round(total);
}

export function signed(number) {
  return number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0";
}

function label(text, x, y, anchor) {
  const made = svgElement("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}
