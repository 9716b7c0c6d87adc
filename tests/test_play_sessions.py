"""Sessions on disk: continued as if nothing had happened, never mixed up, never half written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from env.actions import ACTION_NAMES
from interfaces.opponents import Opponent, load_opponent
from interfaces.seat_view import seat_view
from interfaces.session import Session, json_lines
from interfaces.storage import SCHEMA_VERSION, SessionError, Store
from interfaces.table import Question
from tests.small_runs import ROOT

LEDUC = f"search:{ROOT / 'checkpoints' / 'pretrained' / 'leduc'}"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "play" / "sessions.sqlite3")


@pytest.fixture(scope="module")
def opponent() -> Opponent:
    return load_opponent(LEDUC, None)


def step(session: Session, opponent: Opponent) -> None:
    """One action, or the next hand; the human's choice depends on the public state alone."""
    table = session.table
    if table.is_over:
        session.next_hand()
    elif table.is_humans_turn:
        choices = seat_view(table).choices
        choice = choices[(table.hand.node + table.hand.number) % len(choices)]
        session.act(ACTION_NAMES.index(choice.action))
    else:
        question = table.question()
        assert question is not None
        session.answer(opponent.strategies([question])[0])


def test_a_session_interrupted_after_every_action_goes_on_as_one_that_was_not(
    store: Store, opponent: Opponent
) -> None:
    whole = Session.start(store, opponent.game, opponent.spec, seed=4)
    broken = Session.start(store, opponent.game, opponent.spec, seed=4)
    for _ in range(120):
        step(whole, opponent)
        broken = Session.resume(Store(store.path), broken.row.id)  # as another program would
        step(broken, opponent)
        assert broken.table.hand == whole.table.hand
        assert broken.won == whole.won
        assert broken.winnings == whole.winnings
    assert len(whole.won) > 10


def test_two_programs_cannot_mix_a_session_up(store: Store, opponent: Opponent) -> None:
    one = Session.start(store, opponent.game, "call", seed=4)
    other = Session.resume(Store(store.path), one.row.id)
    one.act(1)
    before = other.table.hand
    with pytest.raises(SessionError, match="elsewhere"):
        other.act(2)
    assert other.table.hand == before
    while not one.table.is_over:
        step(one, opponent)
    other = Session.resume(store, one.row.id)
    one.next_hand()
    with pytest.raises(SessionError, match="elsewhere"):
        other.next_hand()
    assert other.table.is_over


def test_the_export_tells_no_cards_that_were_not_shown(store: Store, opponent: Opponent) -> None:
    session = Session.start(store, opponent.game, opponent.spec, seed=6)
    while len(session.won) < 12:
        step(session, opponent)
    session.next_hand()
    hands = [json.loads(line) for line in json_lines(store, session.row.id)]
    assert [hand["won_chips"] for hand in hands] == session.won
    assert [hand["seat"] for hand in hands] == [0, 1] * 6
    folded = [hand["history"].endswith("f") for hand in hands]
    assert [not hand["opponent_cards"] for hand in hands] == folded
    assert len(set(folded)) == 2
    assert all("seed" not in hand for hand in hands)


def test_the_list_of_sessions(store: Store, opponent: Opponent) -> None:
    assert store.summaries() == []
    first = Session.start(store, opponent.game, opponent.spec, seed=6)
    while len(first.won) < 3:
        step(first, opponent)
    Session.start(store, opponent.game, "call", seed=2**63 - 1)
    newest, oldest = store.summaries()
    assert (newest.row.opponent, newest.row.seed, newest.hands) == ("call", 2**63 - 1, 0)
    assert (oldest.row.id, oldest.hands, oldest.chips) == (first.row.id, 3, sum(first.won))


def test_other_files_are_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database " * 100)
    with pytest.raises(SessionError, match="no readable file of sessions"):
        Store(tmp_path / "text")
    newer = sqlite3.connect(tmp_path / "newer")
    newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    newer.close()
    with pytest.raises(SessionError, match="this program reads version"):
        Store(tmp_path / "newer")


def test_damaged_sessions_are_refused_in_one_line(store: Store, opponent: Opponent) -> None:
    with pytest.raises(SessionError, match="there is no session"):
        Session.resume(store, "'; DROP TABLE hands; --")
    damages = ("deal = '[1, 1]'", "deal = 'x'", "deal = '{}'", "history = 'zz'")
    for damage in damages:
        session = Session.start(store, opponent.game, "call", seed=1)
        with sqlite3.connect(store.path) as database:
            database.execute(f"UPDATE hands SET {damage} WHERE session = ?", (session.row.id,))
        with pytest.raises(SessionError, match="damaged"):
            Session.resume(store, session.row.id)
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE sessions SET rules = '[]'")
    with pytest.raises(SessionError, match="damaged"):
        store.summaries()


def test_draws_per_hand_are_the_same_for_the_whole_hand(opponent: Opponent) -> None:
    """An agent that draws something for each hand keeps to it, also after a restart."""
    from env.cards import Cards  # noqa: PLC0415

    class OneOfTwo:
        def __init__(self, raises: bool) -> None:
            self.row = np.array([[0, 0, 1] if raises else [0, 1, 0]], np.float32)

        def strategies(self, cards: Cards, nodes: object, hands: object) -> object:
            return self.row

    class Draws:
        def for_hands(self, num_hands: int, rng: np.random.Generator) -> OneOfTwo:
            return OneOfTwo(bool(rng.random() < 0.5))

        def strategies(self, cards: Cards, nodes: object) -> object:
            raise AssertionError

        for_views = strategies

    agent = opponent.agent.__class__("draws", Draws(), opponent.agent.rules, "single")  # type: ignore[arg-type]
    drawing = Opponent("draws", agent, opponent.game)
    cards = np.array([40, 52, 52, 52, 52, 52, 52], np.uint8)
    questions = [Question(cards, 0, (1, 2, hand)) for hand in (0, 1, 2, 3, 4, 5, 6, 7)]
    together = drawing.strategies(questions)
    np.testing.assert_array_equal(
        together, [drawing.strategies([question])[0] for question in questions]
    )
    assert len(np.unique(together, axis=0)) == 2


def test_a_model_that_searches_is_known_whatever_lies_on_top_of_it() -> None:
    """Also below the rule that no hand that cannot lose is folded, and diluted."""
    for spec in (LEDUC, f"diluted:20:{LEDUC}"):
        searching = load_opponent(spec, None)
        assert [searching.searches(street) for street in (0, 1)] == [False, True]
    assert not load_opponent(LEDUC.removeprefix("search:"), None).searches(1)


def test_search_says_how_far_it_is_and_answers_the_same() -> None:
    watched, unwatched = load_opponent(LEDUC, None), load_opponent(LEDUC, None)
    node = watched.game.tree.node("rc/r")
    cards = np.array([40, 52, 41, 52, 52, 52, 52], np.uint8)  # a queen, and a queen on the board
    question = Question(cards, node, (1, 2, 3))
    told: list[tuple[int, int]] = []

    def new_bar(what: str, total: int) -> Callable[[int], None]:
        return lambda more: told.append((more, total))

    answer = watched.strategies([question], new_bar)
    np.testing.assert_array_equal(answer, unwatched.strategies([question]))
    assert len(told) > 5
    assert sum(more for more, _ in told) == told[0][1]
    told.clear()
    watched.strategies([question], new_bar)
    assert not told, "what is solved is kept"
