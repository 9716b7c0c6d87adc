// The coach beside the table: comments on decisions, advice when asked, both players' ranges.

import { element } from "./cards.js";
import { adviceElement, fetchJson } from "./figures.js";
import { openRanges } from "./ranges_dialog.js";

const KEPT = "coach-comments";
const byId = (id) => document.getElementById(id);
let state = null;
let question = 0; // the latest one; answers to earlier ones are dropped

byId("comments").checked = localStorage.getItem(KEPT) !== "no";
byId("comments").onchange = () => localStorage.setItem(KEPT, byId("comments").checked ? "yes" : "no");
byId("ask-advice").onclick = () => state && tell(state, "");
byId("ask-ranges").onclick = () => state && openRanges({ session: state.session, hand: state.hand, step: state.step });

export function watch(newState) {
  const isNewHand = !state || state.session !== newState.session || (state.hand !== newState.hand);
  state = newState;
  byId("ask-advice").disabled = state.to_act !== "you";
  if (isNewHand) {
    question += 1;
    byId("coach-says").replaceChildren(element("p", "small", "Ask before you act, or let it comment afterwards."));
  }
}

export function comment(decided, action) {
  if (byId("comments").checked) tell(decided, action);
}

async function tell({ session, hand, step, street_name: street }, action) {
  const mine = ++question;
  const place = byId("coach-says");
  place.replaceChildren(element("p", "small", "The coach is at work …"));
  try {
    const found = await fetchJson("/api/moment", { session, hand, step });
    if (mine !== question) return;
    const title = action ? `Your ${found.names[action]} on the ${street}` : `Advice on the ${street}`;
    place.replaceChildren(
      element("p", "title", title.replace("on the pre-flop", "before the flop")),
      adviceElement(found.advice, found.names, action),
    );
  } catch (error) {
    if (mine === question) place.replaceChildren(element("p", "small", error.message));
  }
}
