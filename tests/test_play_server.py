"""The server over its wire: the emulator's hands, no hidden card, hostile pages."""

from __future__ import annotations

import asyncio
import json
import random
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.websockets import WebSocket
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from env.actions import ACTION_NAMES
from env.cards import card_text
from env.emulator import make_emulator
from env.game import load_game
from interfaces.storage import Store
from interfaces.web.access import COOKIE, EVERYWHERE, address, policy_for
from interfaces.web.connections import Connection
from interfaces.web.menu import find_opponents
from interfaces.web.messages import LONGEST, MessageError, read_message
from interfaces.web.rooms import Rooms
from tests.browser_sessions import LOCAL, Json, Page, get, page, server
from tests.small_runs import ROOT

CHECKPOINTS = ROOT / "checkpoints"
HANDS, PAGES = 1_000, 10
RULES = load_game("hulh").rules


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """The server's file, opened once more to look into it."""
    return Store(tmp_path / "sessions.sqlite3")


@pytest.fixture
def port(store: Store) -> Iterator[int]:
    with server(store.path, CHECKPOINTS) as found:
        yield found


def random_hand(one: Page, state: Json, rng: np.random.Generator) -> Json:
    """Play a hand at random to its end."""
    while state["result"] is None:
        choices = state["choices"]
        state = one.act(state, choices[rng.integers(len(choices))]["action"])
    return state


def test_a_thousand_hands_over_the_wire_are_the_emulators(port: int, store: Store) -> None:
    """Cards, payments and results, chip for chip; and no hidden card in any byte."""

    def play(seed: int) -> int:
        return checked_hands(port, Store(store.path), HANDS // PAGES, np.random.default_rng(seed))

    with ThreadPoolExecutor(PAGES) as pages:
        showdowns = sum(pages.map(play, range(PAGES)))
    assert HANDS / 10 < showdowns < HANDS / 2


def checked_hands(port: int, store: Store, count: int, rng: np.random.Generator) -> int:
    """Plays a session over the wire and compares it with the emulator; how many showdowns."""
    emulator, total, showdowns = make_emulator(RULES), 0, 0
    with page(port) as one:
        state = one.sit_down("bot:loose-aggressive", random=40)
        for number in range(count):
            del one.bytes_heard[:-1]  # all but what dealt this hand
            state = random_hand(one, state, rng)
            deal, seat = last_deal(store, state["session"]), number % 2
            hand = emulator.start(deal)
            for move in state["moves"]:
                assert (move["by"] == "you") == (hand.actor == seat)
                hand = emulator.act(hand, ACTION_NAMES.index(move["action"]))
                assert hand.moves[-1].paid == move["paid"]
            assert hand.is_terminal
            won, shown = state["result"]["won"], state["result"]["showdown"]
            assert won == emulator.payoffs(hand)[seat]
            assert state["own_cards"] == texts(deal[2 * seat : 2 * seat + 2])
            assert state["board"] == texts(deal[4 : 4 + len(state["board"])])
            hidden = texts(deal[2 - 2 * seat : 4 - 2 * seat])
            assert state["opponent_cards"] == (hidden if shown else [])
            before = one.bytes_heard[:-1] if shown else one.bytes_heard
            assert not [card for card in hidden for text in before if f'"{card}"' in text]
            total, showdowns = total + won, showdowns + shown
            assert (state["hands"], state["chips"]) == (number + 1, total)
            state = one.next_hand(state)
    return showdowns


def last_deal(store: Store, session: str) -> tuple[int, ...]:
    (text,) = store._database.execute(
        "SELECT deal FROM hands WHERE session = ? ORDER BY number DESC LIMIT 1", (session,)
    ).fetchone()
    return tuple(json.loads(text))


def texts(cards: tuple[int, ...]) -> list[str]:
    return [card_text(card) for card in cards]


def test_models_with_search_and_without(port: int) -> None:
    with page(port) as one:
        keys = {entry["key"]: entry for entry in one.lobby["opponents"]}
        assert next(iter(keys)) == "pretrained/hulh"
        assert {"pretrained/fhp", "pretrained/leduc", "bot:honest"} <= keys.keys()
        rng = np.random.default_rng(1)
        for key, search in (("pretrained/leduc", True), ("pretrained/leduc", False)):
            state = one.sit_down(key, search=search, random=10)
            for _ in range(4):
                state = one.next_hand(random_hand(one, state, rng))
            assert state["hands"] == 4


def test_a_session_survives_the_server(store: Store) -> None:
    """What was answered is there again, and the hand goes on."""
    with server(store.path, CHECKPOINTS) as port, page(port) as one:
        state = one.act(one.sit_down("bot:call"), "raise")
        state = one.act(state, "call")
    with server(store.path, CHECKPOINTS) as port, page(port) as one:
        assert one.lobby["sessions"][0]["session"] == state["session"]
        again = one.join(state["session"])
        assert again == state
        assert one.act(again, "call")["step"] > state["step"]


def test_two_pages_on_one_session(port: int) -> None:
    with page(port) as one, page(port) as other:
        state = one.sit_down("bot:call")
        assert other.join(state["session"]) == state
        after = one.act(state, "call")
        assert other.settled() == after
        other.say(type="act", session=state["session"], hand=1, step=0, action="call")
        assert "moved on" in other.hear()["text"]
        assert other.act(after, "raise") == one.settled()


def hostile_messages(session: str, number: int) -> Iterator[str]:
    """Random, huge, malformed, out of turn, of other sessions, of other types."""
    rng = random.Random(3)
    good = {"type": "act", "session": session, "hand": 1, "step": 0, "action": "raise"}
    odd: list[object] = [
        None,
        -1,
        10**40,
        1.5,
        "",
        "\x00",
        "'; DROP TABLE hands",
        [],
        {},
        True,
        "x" * 500,
    ]
    fixed = [
        "",
        "[",
        "[" * LONGEST,
        "null",
        "[]",
        '{"type": []}',
        "NaN",
        "é" * 40,
        "x" * 3 * LONGEST,
    ]
    for i in range(number):
        if i % 4 == 0:
            yield rng.choice(fixed)
        elif i % 4 == 1:
            yield json.dumps(good | {rng.choice(list(good)): rng.choice(odd)})
        elif i % 4 == 2:
            yield json.dumps({"type": rng.choice(["new", "join", "next", "act"]), "x": i})
        else:
            yield json.dumps(good | {"step": rng.choice([1, 2, 99]), "hand": rng.choice([1, 2])})


def test_hostile_pages_get_errors_and_change_nothing(port: int, store: Store) -> None:
    with page(port) as owner, page(port) as stranger:
        state = owner.sit_down("bot:call")
        session = state["session"]
        before = store.hands(session), store.summaries()
        for text in hostile_messages(session, 10_000):
            stranger.socket.send(text)
            heard = stranger.hear()
            assert heard["type"] == "error", (text, heard)
            assert len(heard["text"]) < 600
        stranger.socket.send(b"\xff" * 100)
        assert stranger.hear()["type"] == "error"
        assert (store.hands(session), store.summaries()) == before
        for text in hostile_messages(session, 200):  # by a page that may act, too
            owner.socket.send(text)
            assert owner.hear()["type"] == "error", text
        assert (store.hands(session), store.summaries()) == before
        owner.say(type="next", session=session, hand=1)
        assert "not over" in owner.hear()["text"]
        for wish in ({"opponent": "../../etc/passwd"}, {"opponent": "bot:call", "search": True}):
            owner.say(**{"type": "new", "search": False, "random": 0, **wish})
            assert owner.hear()["type"] == "error"
        assert (store.hands(session), store.summaries()) == before
        assert owner.act(state, "call")["step"] > 0, "the table still works"


@pytest.mark.parametrize("text", ["[" * 999, "9" * 999, '{"type":"join","session":' + "9" * 400])
def test_odd_json_is_no_message(text: str) -> None:
    with pytest.raises(MessageError):
        read_message(text)


def test_a_page_that_does_not_read_misses_what_is_oldest(store: Store) -> None:
    """What is kept for it has a bound, and nobody waits for it."""

    async def hear(count: int) -> list[Json]:
        rooms = Rooms(store, partial(find_opponents, CHECKPOINTS))
        connection = Connection(WebSocket({"type": "websocket"}, receive, send), rooms)
        for number in range(count):
            connection.hear({"number": number})
        return [connection._unsent.get_nowait() for _ in range(connection._unsent.qsize())]

    async def receive() -> Json:
        raise AssertionError

    async def send(message: Any) -> None:
        raise AssertionError

    kept = asyncio.run(hear(5_000))
    assert len(kept) < 1_000
    assert kept[-1] == {"number": 4_999}


def test_a_huge_message_ends_the_connection_alone(port: int) -> None:
    with page(port) as owner:
        state = owner.sit_down("bot:call")
        with page(port) as stranger:
            stranger.socket.send("x" * 1_000_000)
            with pytest.raises(ConnectionClosed):
                stranger.hear()
        assert owner.act(state, "call")["step"] > 0


@pytest.mark.parametrize("host", ["", "evil.example"])
@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://{own}", "http://{own}.evil.example"]
)
def test_other_pages_may_not_connect(port: int, host: str, origin: str | None) -> None:
    own = f"{LOCAL}:{port}"
    given = None if origin is None else Origin(origin.format(own=own))
    with socket.create_connection((LOCAL, port)) as raw, pytest.raises(InvalidStatus) as refused:
        connect(f"ws://{host or own}/ws", sock=raw, origin=given)
    assert refused.value.response.status_code == 403
    if given or host:
        headers = {"Host": host or own} | ({"Origin": given} if given else {})
        assert get(port, "/", headers)[0].status == 403


def test_the_page_allows_no_foreign_content(port: int) -> None:
    answer, _ = get(port, "/")
    assert answer.status == 200
    assert "default-src 'self'" in (answer.getheader("content-security-policy") or "")
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static//etc/passwd"):
        assert get(port, path)[0].status == 404
    for file in (ROOT / "interfaces" / "web" / "static").iterdir():
        text = file.read_text().replace("http://www.w3.org/", "")
        assert "innerHTML" not in text
        assert "://" not in text.replace("ws://${location.host}", ""), "works offline"


def test_a_token_is_needed_where_others_can_connect(store: Store) -> None:
    policy = policy_for("0.0.0.0", 8420)
    assert policy.token is not None
    assert len(policy.token) >= 20
    assert address("0.0.0.0", 8420, policy) == f"http://127.0.0.1:8420/?token={policy.token}"
    with server(store.path, CHECKPOINTS, policy) as port:
        for path in ("/", "/?token=", "/?token=wrong", "/?token=%ff", "/static/app.js"):
            assert get(port, path)[0].status == 401
        with pytest.raises(InvalidStatus), page(port):
            pass
        entrance, _ = get(port, f"/?token={policy.token}")
        assert (entrance.status, entrance.getheader("location")) == (303, "/")
        cookie = (entrance.getheader("set-cookie") or "").partition(";")
        assert cookie[0] == f"{COOKIE}={policy.token}"
        assert "HttpOnly" in cookie[2]
        assert get(port, "/", {"Cookie": cookie[0]})[0].status == 200
        with page(port, {"Cookie": cookie[0]}) as one:
            assert one.lobby["type"] == "lobby"


def test_only_this_computer_needs_no_token() -> None:
    for host in ("127.0.0.1", "localhost", "::1"):
        policy = policy_for(host, 8420)
        assert policy.token is None
        assert policy.hosts == frozenset({"127.0.0.1:8420", "localhost:8420", "[::1]:8420"})
    own = policy_for("192.168.1.5", 8420)
    assert own.hosts == frozenset({"192.168.1.5:8420"})
    assert own.token
    assert all(policy_for(host, 1).token for host in EVERYWHERE)
