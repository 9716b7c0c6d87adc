// The table in play: the felt, the buttons, the moves and the winnings.

import { element } from "./cards.js";
import { current, makeFelt, moveItems, showFelt, useSession } from "./felt.js";
import { drawGraph, signed } from "./graph.js";

const KEYS = { fold: "F", call: "C", raise: "R" };
const byId = (id) => document.getElementById(id);

let session = null;

byId("table").prepend(makeFelt());
// The coach's panel grows and shrinks; the latest moves stay in sight.
new ResizeObserver(showLatestMoves).observe(byId("moves"));

export function showSession(message) {
  session = message;
  useSession(message);
  byId("session-name").textContent = `against ${message.opponent}`;
}

export function showState(state, { onAction, onNext }) {
  const before = current();
  if (before && before.hand === state.hand && state.step < before.step) return;
  showFelt(state);
  byId("hand-number").textContent = state.hand;
  byId("moves").replaceChildren(...moveItems(state.moves, session.streets));
  showLatestMoves();
  showActions(state, onAction, onNext);
  showWinnings(state);
}

function showLatestMoves() {
  byId("moves").scrollTop = byId("moves").scrollHeight;
}

function showActions(state, onAction, onNext) {
  const buttons = state.choices.map((choice) =>
    actionButton(choice.action, choice.label, KEYS[choice.action], () => onAction(state, choice.action)),
  );
  if (state.result) buttons.push(actionButton("next", "Next hand", "N", () => onNext(state)));
  if (!buttons.length) buttons.push(element("p", "waiting", "The opponent is to act"));
  byId("actions").replaceChildren(...buttons);
}

function actionButton(action, label, key, onClick) {
  const button = element("button", `action ${action}`);
  button.dataset.action = action;
  button.append(element("span", "label", label), element("kbd", "", key));
  button.onclick = () => {
    // One click is one action; the next state brings new buttons.
    for (const one of byId("actions").children) one.disabled = true;
    onClick();
  };
  return button;
}

function showWinnings(state) {
  if (session.graph.length === state.hands) session.graph.push(state.chips);
  byId("chips").textContent = `${signed(state.chips)} chips in ${state.hands} ${state.hands === 1 ? "hand" : "hands"}`;
  const margin = state.interval === null ? "" : ` ± ${Math.round(state.interval)}`;
  byId("rate").textContent =
    state.rate === null ? "no hand finished yet" : `${signed(Math.round(state.rate))}${margin} small bets/100`;
  drawGraph(byId("graph"), [{ className: "won", totals: session.graph }]);
}
