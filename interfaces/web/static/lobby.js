// Choosing an opponent, or a session to go on with.

import { element } from "./cards.js";
import { signed } from "./graph.js";

// Per cent of random decisions by position of the dial, and what they cost the model that comes
// with limit hold'em, in thousandths of a big blind per hand (docs/play.md says how measured).
const DILUTION = [100, 70, 40, 20, 10, 5, 0];
const COST = { 5: 56, 10: 113, 20: 219, 40: 401, 70: 618, 100: 774 };

const byId = (id) => document.getElementById(id);
let opponents = [];

export function showLobby(message, { onNew, onJoin }) {
  const before = byId("opponent").value;
  opponents = message.opponents;
  const groups = [["Models", false], ["Bots", true]].map(([label, isBot]) => {
    const group = element("optgroup");
    group.label = label;
    for (const one of opponents.filter((entry) => entry.is_bot === isBot)) {
      const option = element("option", "", one.is_bot ? one.name : `${one.name} (${one.game})`);
      option.value = one.key;
      group.append(option);
    }
    return group;
  });
  byId("opponent").replaceChildren(...groups.filter((group) => group.children.length));
  if (before) byId("opponent").value = before;
  byId("opponent").onchange = () => showChoice(true);
  byId("strength").oninput = () => showChoice(false);
  byId("choice").onsubmit = (event) => {
    event.preventDefault();
    const search = byId("search").checked && !byId("search").disabled;
    onNew({ opponent: byId("opponent").value, search, random: dilution() });
  };
  showChoice(!before);
  showSessions(message.sessions, onJoin);
}

function dilution() {
  return DILUTION[Number(byId("strength").value)];
}

function showChoice(isNew) {
  const chosen = opponents.find((one) => one.key === byId("opponent").value);
  if (!chosen) return;
  byId("about").textContent = chosen.about;
  byId("search").disabled = !chosen.can_search;
  if (isNew) byId("search").checked = chosen.can_search;
  const percent = dilution();
  byId("strength-text").textContent = percent
    ? `${percent} % of its decisions are left to chance. That costs the hulh model ${COST[percent]} mbb/g (thousandths of a big blind per hand).`
    : "Every decision is its own.";
}

function showSessions(sessions, onJoin) {
  byId("sessions").hidden = !sessions.length;
  byId("session-list").replaceChildren(
    ...sessions.map((one) => {
      const item = element("li");
      const button = element("button", "quiet session");
      button.append(
        element("span", "versus", one.opponent),
        element("span", "small", `${one.game}, ${one.started.slice(0, 16)}`),
        element("span", "score", `${one.hands} hands, ${signed(one.chips)} chips`),
      );
      button.onclick = () => onJoin(one.session);
      const review = element("a", "quiet", "Review");
      review.href = `/review?${new URLSearchParams({ session: one.session })}`;
      item.append(button, review);
      return item;
    }),
  );
}
