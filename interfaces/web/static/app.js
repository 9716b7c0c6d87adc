// The connection, and which of lobby and table is shown. The address keeps the session (#SESSION).

import { comment, watch } from "./coach.js";
import { current, showProgress } from "./felt.js";
import { showLobby } from "./lobby.js";
import { showSession, showState } from "./table.js";

const KEYS = { f: "fold", c: "call", r: "raise", n: "next", Enter: "next", " ": "next" };
const LONGEST_PAUSE = 5000; // milliseconds between two attempts to connect

const byId = (id) => document.getElementById(id);
let socket = null;
let pause = 250;
let isLost = false;
let isLeaving = false; // the page itself closes the connection, for a new one

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect() {
  socket = new WebSocket(`ws://${location.host}/ws`);
  socket.onopen = () => {
    pause = 250;
    if (isLost) notice("");
    isLost = false;
  };
  socket.onmessage = (event) => hear(JSON.parse(event.data));
  socket.onclose = () => {
    if (isLeaving) {
      isLeaving = false;
      connect();
      return;
    }
    isLost = true;
    notice("The connection is lost; trying again …");
    setTimeout(connect, pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE);
  };
}

function hear(message) {
  if (message.type === "lobby") {
    showLobby(message, { onNew: sitDown, onJoin: join });
    if (chosenSession()) join(chosenSession());
    else show("lobby");
  } else if (message.type === "session") {
    if (byId("notice").className === "calm") notice("");
    showSession(message);
    byId("to-review").href = `/review?session=${encodeURIComponent(message.session)}`;
    history.replaceState(null, "", `#${message.session}`);
    show("table");
  } else if (message.type === "state") {
    showState(message, { onAction: act, onNext: next });
    watch(message);
  } else if (message.type === "progress") {
    showProgress(message);
  } else if (message.type === "error") {
    notice(message.text);
    if (byId("table").hidden) {
      history.replaceState(null, "", location.pathname);
      show("lobby");
    } else {
      for (const button of byId("actions").children) button.disabled = false;
    }
  }
}

function sitDown(choice) {
  notice("Getting the opponent to the table …", "calm");
  byId("sit-down").disabled = true;
  send({ type: "new", ...choice });
}

function join(session) {
  send({ type: "join", session });
}

function act(state, action) {
  notice("");
  send({ type: "act", session: state.session, hand: state.hand, step: state.step, action });
  comment(state, action);
}

function next(state) {
  notice("");
  send({ type: "next", session: state.session, hand: state.hand });
}

function chosenSession() {
  return decodeURIComponent(location.hash.slice(1));
}

function show(name) {
  for (const id of ["lobby", "table"]) byId(id).hidden = id !== name;
  for (const id of ["to-lobby", "to-review"]) byId(id).hidden = name === "lobby";
  byId("sit-down").disabled = false;
  if (name === "lobby") byId("session-name").textContent = "";
}

function notice(text, tone = "") {
  byId("notice").textContent = text;
  byId("notice").className = tone;
  byId("notice").hidden = !text;
}

document.addEventListener("keydown", (event) => {
  if (byId("table").hidden || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const isPressing = event.key === "Enter" || event.key === " ";
  if (isPressing && event.target.closest("button, a, input")) return; // what has the focus
  if (document.querySelector("dialog[open]")) return;
  const asks = { a: "ask-advice", w: "ask-ranges" }[event.key.toLowerCase()];
  if (asks) byId(asks).click();
  const action = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const button = action && document.querySelector(`#actions [data-action="${action}"]`);
  if (!button || !current()) return;
  event.preventDefault();
  button.click();
});

byId("to-lobby").onclick = () => {
  history.replaceState(null, "", location.pathname);
  isLeaving = true;
  socket.close(); // a new connection brings the lobby with fresh figures
};
addEventListener("hashchange", () => chosenSession() && join(chosenSession()));

connect();
