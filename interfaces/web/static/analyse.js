// Cards, board and betting set by clicking; strategies, values and ranges of any model. The situation
// is in the address: ?model=…&search=1&hand=AhKd&board=2c7dTs&line=rc/r

import { cardsText, element, suitElement } from "./cards.js";
import { adviceElement, fetchJson } from "./figures.js";
import { rangesElement } from "./ranges.js";

const BOARD = 5;
const byId = (id) => document.getElementById(id);
const situation = { model: "", search: "1", hand: "", board: "", line: "" };
let models = [];
let found = null; // the latest answer
let question = 0;

async function start() {
  ({ models } = await fetchJson("/api/models", {}));
  const given = new URLSearchParams(location.search);
  for (const name of Object.keys(situation)) if (given.has(name)) situation[name] = given.get(name);
  const known = models.some((one) => one.key === situation.model);
  const complaint = situation.model && !known ? `There is no model ${situation.model} here.` : "";
  if (!known) situation.model = models[0].key;
  byId("model").replaceChildren(...models.map((one) => {
    const option = element("option", "", one.is_bot ? `${one.name} (bot)` : `${one.name} (${one.game})`);
    option.value = one.key;
    return option;
  }));
  byId("model").value = situation.model;
  byId("model").onchange = () => change({ model: byId("model").value, hand: "", board: "", line: "" });
  byId("search").onchange = () => change({ search: byId("search").checked ? "1" : "0" });
  byId("clear").onclick = () => change({ hand: "", board: "" });
  byId("undo").onclick = () => change({ line: found.steps.at(-2)?.line ?? "" });
  byId("copy").onclick = () => navigator.clipboard?.writeText(location.href);
  await change({});
  if (complaint) notice(complaint);
}

async function change(parts) {
  Object.assign(situation, parts);
  const model = models.find((one) => one.key === situation.model);
  byId("search").disabled = !model.can_search;
  if (!model.can_search) situation.search = "0";
  byId("search").checked = situation.search === "1";
  history.replaceState(null, "", `?${new URLSearchParams(situation)}`);
  const mine = ++question;
  try {
    const answer = await fetchJson("/api/analyse", situation);
    if (mine !== question) return;
    found = answer;
    notice("");
    showSituation();
    showAnswer();
  } catch (error) {
    if (mine !== question) return;
    notice(error.message);
    if (!found) await change({ hand: "", board: "", line: "" }).then(() => notice(error.message));
  }
}

function cardsOf(text) {
  return text.replaceAll(" ", "").replaceAll("10", "T").match(/[2-9TJQKA][cdhs]/gi) ?? [];
}

function showSituation() {
  const isClass = situation.hand && !cardsOf(situation.hand).length;
  const hand = isClass ? [] : cardsOf(situation.hand);
  const board = cardsOf(situation.board);
  byId("slots").replaceChildren(
    isClass ? classSlot() : slots("hand", hand, found.hole),
    slots("board", board, Math.min(BOARD, Math.max(found.needed, board.length))),
  );
  const isFull = (isClass || hand.length === found.hole) && board.length >= found.needed;
  byId("deck").style.gridTemplateColumns = `repeat(${found.ranks.length}, 1fr)`;
  const taken = [...hand, ...board];
  const ranks = [...found.ranks].reverse();
  byId("deck").replaceChildren(
    ...[...found.suits].reverse().flatMap((suit) => ranks.map((rank) => deckButton(rank + suit, taken, isFull, hand, board, isClass))),
  );
  showLine();
}

function deckButton(card, taken, isFull, hand, board, isClass) {
  const made = element("button", `suit-${card[1]} cards-text`, card[0] === "T" ? "10" : card[0]);
  made.append(suitElement(card[1], "inline"));
  made.dataset.card = card;
  made.setAttribute("aria-label", card);
  made.disabled = isFull || taken.includes(card);
  made.onclick = () =>
    !isClass && hand.length < found.hole
      ? change({ hand: [...hand, card].join("") })
      : change({ board: [...board, card].join("") });
  return made;
}

function classSlot() {
  const made = element("div", "slot-group");
  const slot = element("button", "slot filled", situation.hand);
  slot.onclick = () => change({ hand: "" });
  made.append(slot, element("span", "small", "hand"));
  return made;
}

function slots(name, cards, count) {
  const made = element("div", "slot-group");
  for (let place = 0; place < count; place++) {
    const card = cards[place];
    const slot = element("button", `slot${card ? " filled" : ""}`);
    slot.dataset.slot = `${name}${place}`;
    slot.setAttribute("aria-label", card ? `take ${card} back` : `empty place of the ${name}`);
    if (card) slot.append(cardsText([card]));
    slot.disabled = !card;
    slot.onclick = () => change({ [name]: cards.filter((one) => one !== card).join("") });
    made.append(slot);
  }
  if (count) made.append(element("span", "small", name));
  return made;
}

function who(player) {
  return found.button ? ["Button", "Big blind"][player] : `Player ${player + 1}`;
}

function showLine() {
  const items = [];
  let street = "";
  found.steps.forEach((step, place) => {
    if (step.street !== street) items.push(element("span", "street-name", (street = step.street)));
    const done = element("button", "done", `${who(step.player)}: ${step.name}`);
    done.title = "Go back to before this action";
    done.onclick = () => change({ line: found.steps[place - 1]?.line ?? "" });
    items.push(done);
  });
  if (!items.length) items.push(element("span", "small", "The hand begins."));
  byId("line").replaceChildren(...items);
  byId("undo").disabled = !found.steps.length;
  byId("next-actions").replaceChildren(
    element("span", "small", `${who(found.player)} to act on the ${found.street}:`),
    ...Object.entries(found.next).map(([action, next]) => {
      const made = element("button", "", next.name);
      made.dataset.next = action;
      made.disabled = next.line === null;
      if (next.line === null) made.title = "That ends the hand";
      made.onclick = () => change({ line: next.line });
      return made;
    }),
  );
}

function showAnswer() {
  const place = byId("answer");
  const { figures } = found;
  if (!figures) {
    place.replaceChildren(element("p", "", found.lacks));
    return;
  }
  const heading = element("h2", "", `${who(figures.player)} on the ${figures.street}; pot ${figures.pot_bb} bb, ${figures.to_call_bb} bb to call`);
  const parts = [heading];
  if (figures.advice) {
    parts.push(adviceElement(figures.advice, figures.names));
  } else {
    parts.push(element("p", "small", "Name a hand for its strategy and values."));
  }
  const titles = [0, 1].map((player) => `${who(player)}${player === figures.player ? ", to act" : ""}`);
  parts.push(rangesElement(figures, titles, [figures.player, 1 - figures.player]));
  place.replaceChildren(...parts);
}

function notice(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = !text;
}

start().catch((error) => notice(error.message));
