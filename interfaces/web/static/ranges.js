// Both players' ranges as squares of hand classes. In each cell the height of the bar is how much of
// the class is still there, and its parts are what the class does.

import { element } from "./cards.js";

const ACTIONS = ["fold", "call", "raise"];
const LETTERS = { f: "folds", c: "checks or calls", r: "bets or raises" };

// `titles` are by player; players in the order in which to show them.
export function rangesElement(figures, titles, order = [0, 1]) {
  const made = element("div", "ranges");
  for (const player of order) made.append(rangeElement(figures.ranges[player], titles[player]));
  made.append(legend());
  return made;
}

function rangeElement(grid, title) {
  const made = element("section", "range");
  const heading = element("h3", "", title);
  heading.append(element("span", "small count", `${grid.combos.toFixed(grid.combos < 10 ? 1 : 0)} hands`));
  const square = element("div", "square");
  const columns = Math.max(...grid.classes.map((one) => one.column)) + 1;
  square.style.gridTemplateColumns = `repeat(${columns}, 1fr)`;
  const detail = element("p", "small detail", "Point at a class for its figures.");
  const firsts = Object.keys(grid.classes.find((one) => one.share > 0)?.plays ?? {});
  const fill = (first) => {
    const most = Math.max(...grid.classes.map((one) => one.share), 1e-300);
    square.replaceChildren(
      ...grid.classes.map((one) => cellElement(one, first, most, (text) => (detail.textContent = text))),
    );
  };
  if (firsts.length && firsts[0] !== "") heading.append(chooser(firsts, fill));
  made.append(heading);
  made.append(square, detail);
  fill(firsts[0]);
  return made;
}

// What a class does depends on what the other player does first.
function chooser(firsts, fill) {
  const made = element("label", "small chooser", "if the other player ");
  const choice = element("select");
  for (const first of firsts) {
    const option = element("option", "", LETTERS[first]);
    option.value = first;
    choice.append(option);
  }
  choice.onchange = () => fill(choice.value);
  made.append(choice);
  return made;
}

function cellElement(one, first, most, tell) {
  const made = element("div", "cell");
  const share = one.share / most;
  const plays = one.plays[first] ?? [];
  made.dataset.name = one.name;
  made.style.gridArea = `${one.row + 1} / ${one.column + 1}`;
  if (!one.combos) made.classList.add("gone");
  const bar = element("div", "bar");
  bar.style.height = `${100 * share}%`;
  if (share > 0) {
    const parts = plays.length ? ACTIONS.map((action, i) => [action, plays[i]]) : [["held", 1]];
    for (const [action, rate] of parts.reverse()) {
      if (!rate) continue;
      const part = element("div", `part ${action}`);
      part.style.width = `${100 * rate}%`;
      bar.append(part);
    }
  }
  made.append(bar, element("span", "", one.name));
  const does = plays.length ? `: ${ACTIONS.map((action, i) => `${action} ${percent(plays[i])}`).join(", ")}` : "";
  const text = one.combos
    ? `${one.name}, ${percent(one.share)} of ${one.combos} hands left${does}`
    : `${one.name}: the cards leave none`;
  made.title = text;
  made.onmouseenter = made.onclick = () => tell(text);
  return made;
}

function percent(rate) {
  const value = 100 * rate;
  return `${value > 0 && value < 1 ? value.toFixed(1) : Math.round(value)} %`;
}

function legend() {
  const made = element("p", "small legend");
  for (const action of ["raise", "call", "fold"]) {
    made.append(element("span", `swatch part ${action}`), ` ${action === "call" ? "check or call" : action === "raise" ? "bet or raise" : action} `);
  }
  made.append("· the height is how much of the class is left, against the class of which most is left");
  return made;
}
