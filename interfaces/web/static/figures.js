// What the coach says of one decision: what the model does, what each action is worth, a grade.

import { element } from "./cards.js";

const SIGNS = { best: "✓✓", fine: "✓", inaccuracy: "?!", mistake: "?", blunder: "??" };

export async function fetchJson(path, parameters) {
  const answer = await fetch(`${path}?${new URLSearchParams(parameters)}`);
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error);
  return found;
}

export function bigBlinds(value, digits = 2) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
}

// A grade has a sign, a word and a colour.
export function gradeElement(grade) {
  const made = element("span", `grade ${grade}`);
  made.append(element("b", "", SIGNS[grade]), ` ${grade}`);
  return made;
}

// `chosen` is the action that was taken, or nothing if the decision is still to be made.
export function adviceElement(advice, names, chosen = "") {
  const made = element("div", "advice");
  if (chosen) made.append(verdict(advice, names, chosen));
  const rows = element("div", "rows");
  for (const [action, found] of Object.entries(advice.actions)) {
    rows.append(row(action, found, names[action], action === chosen));
  }
  made.append(rows, element("p", "small method", method(advice)));
  return made;
}

function verdict(advice, names, chosen) {
  const found = advice.actions[chosen];
  const made = element("p", "verdict");
  made.append(gradeElement(found.grade));
  const isClear = found.loss_bb > Math.max(found.loss_interval_bb, 0.005);
  const margin = found.loss_interval_bb ? ` ± ${found.loss_interval_bb.toFixed(2)}` : "";
  made.append(
    element(
      "span",
      "",
      isClear
        ? `${names[advice.best]} is worth ${found.loss_bb.toFixed(2)}${margin} bb more`
        : "nothing is clearly worth more",
    ),
  );
  return made;
}

function row(action, found, name, isChosen) {
  const made = element("div", `row ${action}${isChosen ? " chosen" : ""}`);
  made.dataset.action = action;
  const bar = element("div", "share");
  const fill = element("div", "fill");
  fill.style.width = `${100 * found.probability}%`;
  bar.append(fill, element("span", "", `${Math.round(100 * found.probability)} %`));
  const worth = element("span", "worth", bigBlinds(found.value_bb));
  worth.title = found.interval_bb ? `± ${found.interval_bb.toFixed(2)} big blinds` : "exact";
  const sign = element("span", `grade ${found.grade}`);
  sign.append(element("b", "", SIGNS[found.grade]));
  sign.title = found.grade;
  made.append(element("span", "name", name), bar, worth, sign);
  return made;
}

function method(advice) {
  const how = advice.method === "exact" ? "exact" : advice.method;
  return `How often the model does it; worth in big blinds (${how}). Equity ${Math.round(100 * advice.equity)} %.`;
}
