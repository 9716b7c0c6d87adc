// The coach beside the table: comments on decisions, advice when asked, both players' ranges.

import { element } from "./cards.js";
import { adviceElement, fetchJson, gradeElement } from "./figures.js";
import { openRanges } from "./ranges_dialog.js";

const KEPT = "coach-comments";
const byId = (id) => document.getElementById(id);
let state = null;
let unsaid = null; // the decision that is to be commented on
let question = 0; // the latest one; answers to earlier ones are dropped

byId("comments").checked = localStorage.getItem(KEPT) !== "no";
byId("comments").onchange = () => localStorage.setItem(KEPT, byId("comments").checked ? "yes" : "no");
byId("ask-advice").onclick = () => state && tell(state, "");
byId("ask-ranges").onclick = () => state && openRanges({ session: state.session, hand: state.hand, step: state.step });

export function watch(newState) {
  const isNewHand = !state || state.session !== newState.session || (state.hand !== newState.hand);
  state = newState;
  if (unsaid && state.to_act !== "opponent") {
    const { decided, action } = unsaid;
    unsaid = null;
    if (decided.hand === state.hand && decided.session === state.session) tell(decided, action);
  }
  byId("ask-advice").disabled = state.to_act !== "you";
  if (isNewHand) {
    question += 1;
    showGrade(null);
    byId("coach-says").replaceChildren(element("p", "small", "Ask before you act, or let it comment afterwards."));
  }
}

// The comment waits until the opponent has answered: both are worked out one after the other.
export function comment(decided, action) {
  unsaid = byId("comments").checked ? { decided, action } : null;
}

// The grade of the last decision on the felt, where it is seen without looking aside.
function showGrade(grade) {
  document.getElementById("own-grade")?.remove();
  if (!grade) return;
  const made = gradeElement(grade);
  made.id = "own-grade";
  byId("own-seat").append(made);
}

async function tell({ session, hand, step, street_name: street }, action) {
  const mine = ++question;
  const place = byId("coach-says");
  place.replaceChildren(element("p", "small", "The coach is at work …"));
  try {
    const found = await fetchJson("/api/moment", { session, hand, step });
    if (mine !== question) return;
    if (action) showGrade(found.advice.actions[action].grade);
    const title = action ? `Your ${found.names[action]} on the ${street}` : `Advice on the ${street}`;
    place.replaceChildren(
      element("p", "title", title.replace("on the pre-flop", "before the flop")),
      adviceElement(found.advice, found.names, action),
    );
  } catch (error) {
    if (mine === question) place.replaceChildren(element("p", "small", error.message));
  }
}
