// Cards and chips as elements. A suit has its own shape, its own colour and its letter in the name.

const RANKS = { T: "10", J: "J", Q: "Q", K: "K", A: "A" };
const RANK_NAMES = { T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const SUIT_NAMES = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const SVG = "http://www.w3.org/2000/svg";
const SUITS = {
  s: "M16 2C12 9 4 13 4 19.5A5.8 5.8 0 0 0 14.4 23C14.2 26 13 28.5 11 30H21C19 28.5 17.8 26 17.6 23A5.8 5.8 0 0 0 28 19.500C28 13 20 9 16 2Z",
  h: "M16 29C10 23 3 18 3 10.800A6.8 6.8 0 0 1 16 8A6.8 6.8 0 0 1 29 10.800C29 18 22 23 16 29Z",
  d: "M16 2L27 16L16 30L5 16Z",
  c: "M16 2.500A6.3 6.3 0 0 1 20.8 13A6.3 6.3 0 1 1 17.6 21.500C17.8 25 19 28 21 30H11C13 28 14.2 25 14.4 21.500A6.3 6.3 0 1 1 11.2 13A6.3 6.3 0 0 1 16 2.500Z",
};

export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

export function svgElement(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// A card such as "As", or its back for "".
export function cardElement(card) {
  if (!card) {
    const back = element("div", "card back");
    back.setAttribute("role", "img");
    back.setAttribute("aria-label", "a hidden card");
    return back;
  }
  const [rank, suit] = card;
  const face = element("div", `card face suit-${suit}`);
  face.setAttribute("role", "img");
  face.setAttribute("aria-label", `${RANK_NAMES[rank] ?? rank} of ${SUIT_NAMES[suit]}`);
  face.dataset.card = card;
  face.append(element("span", "rank", RANKS[rank] ?? rank), suitElement(suit, "corner"));
  face.append(suitElement(suit, "large"));
  return face;
}

export function suitElement(suit, className) {
  const svg = svgElement("svg", { class: `suit ${className}`, viewBox: "0 0 32 32" });
  svg.append(svgElement("path", { d: SUITS[suit] }));
  return svg;
}

// Shows cards in a row and leaves those alone that lie there already, so that only new ones are dealt.
export function showCards(row, cards) {
  cards.forEach((card, place) => {
    const there = row.children[place];
    if (there && there.dataset.shown === card) return;
    const made = cardElement(card);
    made.dataset.shown = card;
    made.style.animationDelay = `${place * 60}ms`;
    if (there) there.replaceWith(made);
    else row.append(made);
  });
  while (row.children.length > cards.length) row.lastChild.remove();
}

// Cards in a line of text, such as 10♥ 9♥, from "Th 9h" or ["Th", "9h"].
export function cardsText(cards) {
  const made = element("span", "cards-text");
  const list = typeof cards === "string" ? cards.split(" ").filter(Boolean) : cards;
  for (const [rank, suit] of list) {
    const one = element("span", `suit-${suit}`, RANKS[rank] ?? rank);
    one.append(suitElement(suit, "inline"));
    one.setAttribute("aria-label", `${RANK_NAMES[rank] ?? rank} of ${SUIT_NAMES[suit]}`);
    made.append(one);
  }
  return made;
}

// A stack of chips with its amount; higher for more, up to five.
export function showChips(place, amount, chip) {
  if (place.dataset.amount === String(amount)) return;
  place.dataset.amount = amount;
  place.replaceChildren();
  if (!amount) return;
  place.append(chipStack(amount, chip), element("span", "amount", String(amount)));
}

export function chipStack(amount, chip) {
  const stack = element("div", "stack");
  const count = Math.max(1, Math.min(6, Math.round(amount / chip)));
  for (let i = 0; i < count; i++) {
    const one = element("div", "chip");
    one.style.bottom = `${i * 4}px`;
    stack.append(one);
  }
  stack.style.height = `${18 + count * 4}px`;
  return stack;
}

// Chips on their way from one place to another.
export function flyChips(from, to, amount, chip) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const [start, end] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  const flying = chipStack(amount, chip);
  flying.classList.add("flying");
  document.body.append(flying);
  const at = (box) =>
    `translate(${box.x + box.width / 2 - 14}px, ${box.y + box.height / 2 - 14}px)`;
  flying
    .animate([{ transform: at(start) }, { transform: at(end) }], {
      duration: 420,
      easing: "cubic-bezier(.3,.7,.3,1)",
    })
    .finished.then(() => flying.remove());
}
