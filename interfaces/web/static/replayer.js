// One hand step by step with the coach's figures. The step is in the address.

import { element } from "./cards.js";
import { makeFelt, moveItems, showFelt, useSession } from "./felt.js";
import { adviceElement, bigBlinds, fetchJson, gradeElement } from "./figures.js";
import { openRanges } from "./ranges_dialog.js";

const RESULTS = {
  won_bb: "won",
  showdown_adjusted_bb: "showdown-adjusted",
  range_adjusted_bb: "range-adjusted",
  baseline_bb: "baseline",
};
const byId = (id) => document.getElementById(id);
let hand = null;
let step = 0;

export async function showReplay(session, number, firstStep) {
  byId("replay").hidden = false;
  byId("to-report").hidden = false;
  byId("to-report").href = `/review?${new URLSearchParams({ session })}`;
  byId("coach-says").textContent = "The coach is at work …";
  hand = await fetchJson("/api/hand", { session, hand: number });
  byId("session-name").textContent = `hand ${hand.hand_number} of ${hand.hands}, against ${hand.opponent}`;
  byId("hand-number").textContent = hand.hand_number;
  byId("felt-place").append(makeFelt());
  useSession({ ...hand, isReplay: true });
  showSteps();
  showResult();
  showHistory();
  byId("ask-ranges").onclick = () => openRanges({ session, hand: number, step });
  document.addEventListener("keydown", onKey);
  go(Math.max(0, Math.min(firstStep, last())));
}

function last() {
  return hand.views.length - 1;
}

function go(to) {
  step = to;
  const view = hand.views[step];
  showFelt({ ...view, choices: [], searching: false });
  for (const item of byId("moves").querySelectorAll("[data-step]")) {
    item.classList.toggle("here", Number(item.dataset.step) === step - 1);
  }
  byId("place").textContent = `${step} / ${last()}`;
  byId("back").disabled = byId("first").disabled = step === 0;
  byId("on").disabled = byId("end").disabled = step === last();
  const decision = decisionAt(step);
  byId("coach-says").replaceChildren(
    decision
      ? adviceElement(decision.advice, decision.names, decision.action)
      : element("p", "small", text(view)),
  );
  const asked = new URLSearchParams(location.search);
  asked.set("step", step);
  history.replaceState(null, "", `?${asked}`);
}

function text(view) {
  if (!hand.review) return "This hand is still being played.";
  return view.to_act ? "The opponent is to act." : "The hand is over.";
}

function decisionAt(place) {
  return hand.review?.decisions.find((one) => one.step === place);
}

function showSteps() {
  const buttons = [
    ["first", "|◀", "The start", () => go(0)],
    ["back", "◀", "One step back", () => go(step - 1)],
    ["on", "▶", "One step on", () => go(step + 1)],
    ["end", "▶|", "The end", () => go(last())],
  ].map(([id, sign, name, onClick]) => {
    const made = element("button", "", sign);
    made.id = id;
    made.title = name;
    made.setAttribute("aria-label", name);
    made.onclick = onClick;
    return made;
  });
  const place = element("span", "small");
  place.id = "place";
  byId("steps").replaceChildren(...buttons.slice(0, 2), place, ...buttons.slice(2), ...otherHands());
  const moves = moveItems(hand.views.at(-1).moves, hand.streets, (item, number) => {
    item.dataset.step = number;
    const decision = decisionAt(number);
    if (decision) item.append(gradeElement(decision.grade));
    item.onclick = () => go(number);
  });
  byId("moves").replaceChildren(...moves);
}

function otherHands() {
  return [["Hand before", hand.hand_number - 1], ["Hand after", hand.hand_number + 1]]
    .filter(([, number]) => number >= 1 && number <= hand.hands)
    .map(([name, number]) => {
      const made = element("a", "quiet", name);
      made.href = `/review?${new URLSearchParams({ session: hand.session, hand: number })}`;
      return made;
    });
}

function showResult() {
  if (!hand.review) return;
  const table = element("table");
  for (const [name, words] of Object.entries(RESULTS)) {
    const line = element("tr");
    line.append(element("td", "", words), element("td", "number", `${bigBlinds(hand.review.results[name])} bb`));
    table.append(line);
  }
  const cost = element("tr");
  cost.append(element("td", "", "cost of your decisions"), element("td", "number", `${hand.review.loss_bb.toFixed(2)} bb`));
  table.append(cost);
  byId("hand-result").replaceChildren(table);
}

function showHistory() {
  const place = byId("hand-history");
  if (!hand.review) return;
  for (const [format, name] of [["pokerstars", "PokerStars-like"], ["phh", "PHH"]]) {
    const address = `/api/history?${new URLSearchParams({ session: hand.session, format, hand: hand.hand_number })}`;
    const copy = element("button", "quiet", `Copy ${name}`);
    copy.onclick = async () => {
      const answer = await fetch(address);
      const text = answer.ok ? await answer.text() : (await answer.json()).error;
      if (answer.ok) await navigator.clipboard?.writeText(text);
      copy.textContent = answer.ok ? "Copied" : text;
      setTimeout(() => (copy.textContent = `Copy ${name}`), 1500);
    };
    const download = element("a", "quiet", `Download ${name}`);
    download.href = address;
    download.setAttribute("download", "");
    place.append(copy, download);
  }
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const button = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "end", w: "ask-ranges" }[event.key];
  if (!button || byId(button).disabled) return;
  event.preventDefault();
  byId(button).click();
}
