// Looking back at a session (/review?session=…), or at one of its hands (…&hand=…&step=…).

import { cardsText, element, svgElement } from "./cards.js";
import { bigBlinds, fetchJson, gradeElement } from "./figures.js";
import { drawGraph, signed } from "./graph.js";
import { showReplay } from "./replayer.js";

const LINES = [
  ["won_bb", "won", "won"],
  ["showdown_adjusted_bb", "showdown", "showdowns at their average, given both hands"],
  ["range_adjusted_bb", "range", "showdowns against all that the opponent could hold"],
  ["baseline_bb", "baseline", "baseline: the model with your cards"],
];
const REFRESH = 3000; // milliseconds between two looks while the coach is at work
const byId = (id) => document.getElementById(id);
const asked = new URLSearchParams(location.search);
const session = asked.get("session") ?? "";

async function start() {
  byId("to-table").href = `/#${encodeURIComponent(session)}`;
  try {
    if (asked.has("hand")) await showReplay(session, asked.get("hand"), Number(asked.get("step") ?? 0));
    else await showWhole();
  } catch (error) {
    notice(error.message);
  }
}

async function showWhole() {
  show(await fetchJson("/api/report", { session }));
  let last = performance.now();
  for (;;) {
    const { pending } = await fetchJson("/api/review", { session });
    const isTime = performance.now() - last > REFRESH;
    notice(pending ? `The coach is looking at the hands; ${pending} left …` : "", "calm");
    if (isTime || !pending) {
      show(await fetchJson("/api/report", { session }));
      last = performance.now();
    }
    if (!pending) return;
  }
}

function show(report) {
  byId("report").hidden = false;
  byId("session-name").textContent = `against ${report.opponent}, ${report.started.slice(0, 16)}; judged by ${report.coach}`;
  const lines = LINES.map(([name, className]) => ({ className, totals: report.lines[name] }));
  const won = report.hands.reduce((totals, hand) => [...totals, totals.at(-1) + hand.won / report.big_blind], [0]);
  if (report.reviewed.length < report.hands.length) lines[0].totals = won;
  const width = Math.max(300, byId("totals").clientWidth); // one unit is one pixel
  drawGraph(byId("totals"), lines, { width, height: width > 500 ? 260 : 180 });
  byId("legend").replaceChildren(rates(report));
  byId("losses").replaceChildren(losses(report));
  byId("grades").replaceChildren(
    ...Object.entries(report.grades).map(([grade, count]) => {
      const made = gradeElement(grade);
      made.append(` ${count}`);
      return made;
    }),
  );
  byId("worst").replaceChildren(worst(report));
  byId("hands").replaceChildren(...hands(report));
  byId("downloads").replaceChildren(...downloads());
}

function rates(report) {
  const made = element("table");
  made.append(row("th", ["", "line", "bb/100"]));
  for (const [name, className, text] of LINES) {
    const key = svgElement("svg", { class: `key ${className}`, viewBox: "0 0 34 10" });
    key.append(svgElement("line", { x1: 0, x2: 34, y1: 5, y2: 5 }));
    const [rate, margin] = report.rates[name] ?? [null, null];
    const figure = rate === null ? "–" : `${bigBlinds(rate, 0)}${margin === null ? "" : ` ± ${margin.toFixed(0)}`}`;
    made.append(row("td", [key, text, figure]));
  }
  return made;
}

function losses(report) {
  const made = element("table");
  const most = Math.max(0.01, ...Object.values(report.loss_by_street_bb));
  for (const [street, loss] of Object.entries(report.loss_by_street_bb)) {
    const meter = element("div", "meter");
    meter.style.width = `${(100 * loss) / most}%`;
    made.append(row("td", [street, meter, `${loss.toFixed(2)} bb`]));
  }
  const total = Object.values(report.loss_by_street_bb).reduce((a, b) => a + b, 0);
  const count = report.reviewed.length;
  made.append(row("td", ["per hand", "", count ? `${(total / count).toFixed(3)} bb` : "–"]));
  return made;
}

function worst(report) {
  if (!report.worst.length) return element("p", "small", "No decision has clearly cost anything so far.");
  const made = element("table");
  made.append(row("th", ["hand", "cards", "street", "you", "best", "cost"]));
  for (const one of report.worst) {
    const cards = element("span", "row-of");
    cards.append(cardsText(one.hand), one.board ? cardsText(one.board) : "");
    const done = element("span", "row-of");
    done.append(one.names[one.action], gradeElement(one.grade));
    const best = one.names[one.advice.best];
    made.append(linked(row("td", [one.hand_number, cards, one.street, done, best, `${one.loss_bb.toFixed(2)} bb`]), one.hand_number, one.step));
  }
  return made;
}

function hands(report) {
  const rows = [row("th", ["hand", "yours", "board", "opponent's", "won", "cost"])];
  for (const one of report.hands.toReversed()) {
    const cost = one.loss_bb === null ? "…" : one.loss_bb ? `${one.loss_bb.toFixed(2)} bb` : "–";
    const cards = [one.own_cards, one.board, one.opponent_cards].map(cardsText);
    rows.push(linked(row("td", [one.hand, ...cards, signed(one.won), cost]), one.hand, 0));
  }
  return rows;
}

function downloads() {
  return [["pokerstars", "PokerStars-like text"], ["phh", "PHH, for PokerKit"], ["jsonl", "JSON lines"]].map(([format, name]) => {
    const made = element("a", "quiet", `Download ${name}`);
    made.href = `/api/history?${new URLSearchParams({ session, format })}`;
    made.setAttribute("download", "");
    return made;
  });
}

// The last cell holds a figure.
function row(tag, cells) {
  const made = element("tr");
  cells.forEach((content, place) => {
    const cell = element(tag, place === cells.length - 1 ? "number" : "");
    cell.append(content);
    made.append(cell);
  });
  return made;
}

function linked(made, hand, step) {
  const address = `/review?${new URLSearchParams({ session, hand, step })}`;
  const link = element("a", "link", made.firstChild.textContent);
  link.href = address;
  made.firstChild.replaceChildren(link);
  made.dataset.hand = hand;
  made.onclick = () => location.assign(address);
  return made;
}

function notice(text, tone = "") {
  byId("notice").textContent = text;
  byId("notice").className = tone;
  byId("notice").hidden = !text;
}

start();
