// A window over the page with both players' ranges at a moment of a hand.

import { element } from "./cards.js";
import { fetchJson } from "./figures.js";
import { rangesElement } from "./ranges.js";

export async function openRanges(moment) {
  const dialog = element("dialog", "ranges-dialog");
  const close = element("button", "quiet", "Close");
  close.onclick = () => dialog.close();
  dialog.onclose = () => dialog.remove();
  dialog.onclick = (event) => event.target === dialog && dialog.close();
  const heading = element("div", "bar");
  heading.append(element("h2", "", "Who holds what"), close);
  const body = element("div", "", "The coach is at work …");
  dialog.append(heading, body);
  document.body.append(dialog);
  dialog.showModal();
  try {
    const found = await fetchJson("/api/moment", moment);
    const titles = found.seat === 0 ? ["You", "Opponent"] : ["Opponent", "You"];
    const about = `As ${found.coach} would hold it after the betting so far; your own cards are taken out of the opponent's range.`;
    body.replaceChildren(
      element("p", "small", about),
      rangesElement(found, titles, [1 - found.seat, found.seat]),
    );
  } catch (error) {
    body.textContent = error.message;
  }
}
