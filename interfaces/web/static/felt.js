// The felt: both hands, the board, chips, the button, the banner, and the list of moves. It shows the
// table as a state says, at the table itself and in the replayer. All text is set as text.

import { element, flyChips, showCards, showChips } from "./cards.js";

const byId = (id) => document.getElementById(id);

let session = null;
let shown = null; // the state on the screen
let asked = 0; // when the opponent's decision began
let clock = 0;
let progress = ""; // how far its search is

// Elements with the identifiers that the functions below look for.
export function makeFelt() {
  const felt = element("section");
  felt.id = "felt";
  felt.setAttribute("aria-label", "Table");
  const middle = made("", "middle", [made("cards", "board"), made("", "pot")]);
  const banner = made("", "banner");
  banner.setAttribute("role", "status");
  banner.hidden = true;
  const dealer = made("", "dealer");
  dealer.textContent = "D";
  dealer.hidden = true;
  felt.append(
    made("seat", "opponent-seat", [plate("opponent"), made("cards", "opponent-cards")]),
    made("bet", "opponent-bet"),
    middle,
    made("bet", "own-bet"),
    banner,
    made("seat", "own-seat", [made("cards", "own-cards"), plate("own")]),
    dealer,
  );
  return felt;
}

function made(className, id, children = []) {
  const one = element("div", className);
  one.id = id;
  one.append(...children);
  return one;
}

function plate(who) {
  const name = element("span", "who", who === "own" ? "You" : "");
  const status = element("span", "status");
  name.id = `${who}-name`;
  status.id = `${who}-status`;
  const made = element("div", "plate");
  made.append(name, status);
  return made;
}

export function useSession(message) {
  session = message;
  shown = null;
  byId("opponent-name").textContent = message.opponent;
  byId("opponent-name").title = message.game;
}

// The state before, if it belongs to the same hand.
export function showFelt(state) {
  const before = shown && shown.hand === state.hand ? shown : null;
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
  shown = state;
}

export function current() {
  return shown;
}

// How far the search for the opponent's decision is.
export function showProgress(message) {
  progress = ` ${Math.round((100 * message.done) / message.total)} %`;
}

function hasFolded(state, who) {
  const last = state.moves.at(-1);
  return Boolean(last) && last.action === "fold" && last.by === who;
}

function animate(before, state) {
  if (!before || state.step !== before.step + 1) return;
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
    if (session.isReplay) {
      byId("opponent-status").textContent = "to act";
      return;
    }
    if (!before || before.to_act !== "opponent" || before.step !== state.step) {
      asked = performance.now();
      progress = "";
    }
    const doing = state.searching ? `solving the ${state.street_name}` : "thinking";
    const tick = () => {
      const seconds = (performance.now() - asked) / 1000;
      byId("opponent-status").textContent = `${doing}${progress} … ${seconds.toFixed(1)} s`;
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

// The moves by street; `decorate` may add to each line.
export function moveItems(moves, streets, decorate = () => {}) {
  const items = [];
  let street = -1;
  moves.forEach((move, place) => {
    if (move.street !== street) {
      street = move.street;
      items.push(element("li", "street", streets[street]));
    }
    const item = element("li", move.by, `${move.by === "you" ? "You" : "Opponent"} ${move.text}`);
    decorate(item, place);
    items.push(item);
  });
  return items;
}
