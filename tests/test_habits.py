"""VPIP, PFR, three-bet, aggression and showdowns: counted again from the text of every hand."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter

import numpy as np
import pytest

from arena.habits import Habits, habits_of
from arena.hand_history import as_pokerstars, hands_of
from arena.match import batches
from arena.report import headline, how_they_play
from arena.standings import profile, standings
from env.actions import CALL, FOLD, RAISE
from env.game import load_game
from env.rules import FHP, HULH, HULH_80, KUHN, LEDUC, Rules
from policies.fixed import always
from tests.games import tree_of
from tests.policies import hashed_pair
from tests.test_statistics import result_of

STREETS = ("*** HOLE CARDS", "*** FLOP", "*** TURN", "*** RIVER")


def counted_from_text(text: str, name: str, caps: tuple[int, ...]) -> Habits:
    """What a reader of PokerStars-like hands would count, without nodes or trees."""
    counts: Counter[str] = Counter()
    for hand in filter(str.strip, text.split("\n\n\n")):
        counts["hands"] += 1
        street, raises, done = 0, 0, set()
        saw_flop = "*** FLOP" in hand
        for line in hand.splitlines():
            if line.startswith(STREETS[1:]):
                street, raises = street + 1, 0
            action = re.match(r"(.+): (folds|checks|calls|bets|raises)", line)
            if not action:
                continue
            verb, is_own = action[2], action[1] == name
            if is_own and street == 0:
                if verb in ("calls", "raises"):
                    done.add("entered")
                if verb == "raises":
                    done.add("raised")
                if raises == 1 < caps[0]:
                    counts["three_bet_chances"] += 1
                    counts["three_bets"] += verb == "raises"
            elif is_own:
                counts["bets"] += verb in ("bets", "raises")
                counts["calls"] += verb == "calls"
                counts["folds"] += verb == "folds"
            raises += verb in ("bets", "raises")
        counts.update(done)
        counts["saw_flop"] += saw_flop
        counts["showdowns"] += "*** SHOW DOWN" in hand
    return Habits(**counts)


@pytest.mark.parametrize("rules", [HULH, FHP], ids=lambda rules: rules.name)
def test_agrees_with_a_count_from_the_text_of_the_hands(rules: Rules) -> None:
    game = load_game(rules)
    first, second = hashed_pair(game.tree)
    for a, b in ((first, second), (second, always(game.tree, RAISE))):
        (played,) = batches(game, a, b, 600, 4)
        text = as_pokerstars(rules, hands_of(game.tree, ("ann", "bob"), played))
        found = habits_of(game, played)
        for name, one in zip(("ann", "bob"), found, strict=True):
            assert one == counted_from_text(text, name, rules.max_raises)
            assert one.entered >= one.raised
            assert one.hands == 600


def test_known_players() -> None:
    """Whoever always calls enters every hand but those in which it may check its big blind."""
    tree = tree_of(HULH)
    call, raises = result_of(HULH, (always(tree, CALL), always(tree, RAISE)), 400).agents
    assert call.habits is not None
    assert raises.habits is not None
    assert (call.habits.vpip, call.habits.pfr, call.habits.three_bet) == (1, 0, 0)
    assert (raises.habits.vpip, raises.habits.pfr) == (1, 1)
    assert raises.habits.three_bet is None, "nobody raised before it"
    assert (call.habits.aggression, call.habits.went_to_showdown) == (0, 1)
    assert raises.habits.aggression is None, "it never called"
    assert raises.habits.aggression_frequency == 1
    call, other = result_of(HULH, (always(tree, CALL), always(tree, CALL)), 400).agents
    assert call.habits == other.habits
    assert call.habits is not None
    assert call.habits.vpip == 0.5, "the big blind checks"
    assert call.habits.aggression is None
    fold, walks = result_of(HULH, (always(tree, FOLD), always(tree, RAISE)), 400).agents
    assert fold.habits is not None
    assert walks.habits is not None
    assert (fold.habits.vpip, fold.habits.went_to_showdown) == (0, None)
    assert walks.habits.vpip == 0.5, "as the big blind it is folded to"
    once, again = result_of(HULH, (always(tree, RAISE), always(tree, RAISE)), 400).agents
    assert once.habits is not None
    assert once.habits.three_bet == 1
    assert (once.habits.three_bets, once.habits) == (200, again.habits)


def test_all_in_before_the_flop_has_seen_it() -> None:
    rules = dataclasses.replace(HULH_80, name="short", stack=20)
    game = load_game(rules)
    both = always(game.tree, RAISE), always(game.tree, RAISE)
    (played,) = batches(game, *both, 100, 0)
    first, _ = habits_of(game, played)
    assert (first.saw_flop, first.showdowns, first.bets) == (100, 100, 0)


def test_games_with_antes() -> None:
    """In Kuhn a bet is voluntary, there is no street after the first, and every hand counts."""
    game = load_game(KUHN)
    a, b = always(game.tree, RAISE), always(game.tree, CALL)
    (played,) = batches(game, a, b, 100, 0)
    first, second = habits_of(game, played)
    assert (first.vpip, first.pfr, first.three_bet) == (1, 1, None)
    assert (second.vpip, second.pfr) == (1, 0)
    assert (first.went_to_showdown, first.aggression) == (1, None)
    game = load_game(LEDUC)
    (played,) = batches(game, always(game.tree, RAISE), always(game.tree, RAISE), 100, 0)
    first, second = habits_of(game, played)
    assert first.three_bet is None, "two bets are the most, so nobody can bet a third time"
    assert (first.pfr, second.pfr) == (1, 1)


def test_counts_come_back_from_json_and_add_up() -> None:
    found = result_of(HULH, hashed_pair(tree_of(HULH)), 300)
    habits = found.agents[0].habits
    assert habits is not None
    assert Habits.from_json(habits.to_json()) == habits
    assert (habits + habits).vpip == habits.vpip
    assert (habits + Habits()) == habits
    earlier = found.to_json()
    for agent in earlier["agents"]:
        del agent["habits"]
    del earlier["curve"]
    old = found.from_json(earlier)
    assert old.agents[0].habits is None
    assert profile("a", [old]).habits is None
    assert "–" in how_they_play(standings(["a", "b"], [old]), [old])


def test_whoever_beats_everyone_is_named_first() -> None:
    tree = tree_of(HULH)
    first = result_of(HULH, (always(tree, RAISE), always(tree, FOLD)), 400)
    table = standings(["a", "b"], [first])
    assert table.champion == "a"
    assert headline(table) == "a beats b, significantly."
    tie = result_of(HULH, (always(tree, CALL), always(tree, CALL)), 400)
    assert headline(standings(["a", "b"], [tie])) is None


def test_the_curve_of_winnings_ends_with_what_was_won() -> None:
    found = result_of(HULH, hashed_pair(tree_of(HULH)), 430)
    assert found.curve[-1][0] == 430
    assert found.curve[-1][1] * 100 == pytest.approx(found.mbb * 430)
    hands = np.array([at for at, _ in found.curve])
    assert (np.diff(hands) > 0).all()
    assert found.mirrored().curve[-1][1] == -found.curve[-1][1]
    assert found.mirrored().mirrored() == found
