// The table as the last state says. Everything that comes from the server is set as text.

import { element, flyChips, showCards, showChips } from "./cards.js";
import { drawGraph, signed } from "./graph.js";

const KEYS = { fold: "F", call: "C", raise: "R" };
const byId = (id) => document.getElementById(id);

let session = null;
let shown = null; // the state on the screen
let asked = 0; // when the opponent's decision began
let clock = 0;

export function showSession(message) {
  session = message;
  shown = null;
  byId("session-name").textContent = `against ${message.opponent}`;
  byId("opponent-name").textContent = message.opponent;
  byId("opponent-name").title = message.game;
}

export function showState(state, { onAction, onNext }) {
  const before = shown && shown.hand === state.hand ? shown : null;
  if (before && state.step < before.step) return;
  const hidden = state.own_cards.map(() => "");
  const isDecided = state.result !== null;
  animate(before, state);
  showCards(byId("own-cards"), state.own_cards);
  showCards(byId("opponent-cards"), state.opponent_cards.length ? state.opponent_cards : hidden);
  showCards(byId("board"), state.board);
  showChips(byId("own-bet"), isDecided ? 0 : state.bets[0], session.chip);
  showChips(byId("opponent-bet"), isDecided ? 0 : state.bets[1], session.chip);
  showPot(state);
  showDealer(state.button);
  byId("own-seat").classList.toggle("to-act", state.to_act === "you");
  byId("opponent-seat").classList.toggle("to-act", state.to_act === "opponent");
  byId("own-seat").classList.toggle("folded", hasFolded(state, "you"));
  byId("opponent-seat").classList.toggle("folded", hasFolded(state, "opponent"));
  showStatus(before, state);
  showBanner(state);
  showMoves(state);
  showActions(state, onAction, onNext);
  showWinnings(state);
  shown = state;
}

export function current() {
  return shown;
}

function hasFolded(state, who) {
  const last = state.moves.at(-1);
  return Boolean(last) && last.action === "fold" && last.by === who;
}

function animate(before, state) {
  if (!before || state.step === before.step) return;
  const move = state.moves.at(-1);
  const mine = move.by === "you";
  if (move.paid) {
    flyChips(byId(mine ? "own-seat" : "opponent-seat"), byId(mine ? "own-bet" : "opponent-bet"), move.paid, session.chip);
  }
  if (state.street !== before.street || state.result) {
    for (const [place, i] of [["own-bet", 0], ["opponent-bet", 1]]) {
      const bet = before.bets[i] + ((mine ? 0 : 1) === i ? move.paid : 0);
      if (bet) setTimeout(() => flyChips(byId(place), byId("pot"), bet, session.chip), 200);
    }
  }
  if (state.result && state.result.won) {
    const winner = byId(state.result.won > 0 ? "own-seat" : "opponent-seat");
    setTimeout(() => flyChips(byId("pot"), winner, state.pot || session.chip, session.chip), 800);
  }
}

function showPot(state) {
  const chips = state.result ? state.paid[0] + state.paid[1] : state.pot;
  showChips(byId("pot"), chips, session.chip);
}

function showDealer(button) {
  const dealer = byId("dealer");
  dealer.hidden = !button;
  dealer.className = button;
  dealer.title = button === "you" ? "You have the button" : "The opponent has the button";
}

function showStatus(before, state) {
  const last = state.moves.filter((move) => move.street === state.street || state.result);
  const lastOf = (who) => last.filter((move) => move.by === who).at(-1);
  const made = state.result && state.result.showdown ? state.result : null;
  byId("own-status").textContent =
    state.to_act === "you" ? "your turn" : made ? made.own_made : (lastOf("you")?.text ?? "");
  clearInterval(clock);
  if (state.to_act === "opponent") {
    if (!before || before.to_act !== "opponent" || before.step !== state.step) asked = performance.now();
    const doing = state.searching ? `solving the ${state.street_name}` : "thinking";
    const tick = () => {
      const seconds = (performance.now() - asked) / 1000;
      byId("opponent-status").textContent = `${doing} … ${seconds.toFixed(1)} s`;
    };
    tick();
    clock = setInterval(tick, 100);
    return;
  }
  const answer = lastOf("opponent")?.text ?? "";
  const seconds = ((performance.now() - asked) / 1000).toFixed(1);
  const took = before?.searching ? `, solved in ${seconds} s` : "";
  byId("opponent-status").textContent = made ? made.opponent_made : answer + took;
}

function showBanner(state) {
  const banner = byId("banner");
  const { result } = state;
  banner.hidden = !result;
  if (!result) return;
  const outcome = result.won > 0 ? "won" : result.won < 0 ? "lost" : "split";
  banner.className = outcome;
  const words = { won: `You win ${result.won}`, lost: `You lose ${-result.won}`, split: "Split pot" };
  const folder = hasFolded(state, "you") ? "You folded" : "The opponent folded";
  const reason = result.showdown ? `${result.own_made} against ${result.opponent_made}` : folder;
  banner.replaceChildren(element("strong", "", words[outcome]), element("span", "", reason));
}

function showMoves(state) {
  byId("hand-number").textContent = state.hand;
  const items = [];
  let street = -1;
  for (const move of state.moves) {
    if (move.street !== street) {
      street = move.street;
      items.push(element("li", "street", session.streets[street]));
    }
    items.push(element("li", move.by, `${move.by === "you" ? "You" : "Opponent"} ${move.text}`));
  }
  byId("moves").replaceChildren(...items);
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
  drawGraph(byId("graph"), session.graph);
}
