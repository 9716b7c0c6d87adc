// Cards and chips as elements. A suit has its own shape, its own colour and its letter in the name.

const RANKS = { T: "10", J: "J", Q: "Q", K: "K", A: "A" };
const RANK_NAMES = { T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
const SUIT_NAMES = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const SVG = "http://www.w3.org/2000/svg";

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

function suitElement(suit, className) {
  const svg = svgElement("svg", { class: `suit ${className}`, viewBox: "0 0 32 32" });
  svg.append(svgElement("use", { href: `#suit-${suit}` }));
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
