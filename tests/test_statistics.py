"""Statistics of a pairing against a plain loop over hands, and values worked out by hand."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from agents.bots import always
from env.actions import CALL, FOLD, RAISE
from env.betting_tree import BettingTree
from env.compiler import compile
from env.deals import showdown_result
from env.emulator import make_emulator
from env.rules import HULH, HULH_80, KUHN, LEDUC, Rules
from evaluation.match import batches, match
from evaluation.statistics import Tally
from tests.policies import Hashed, Stateless


def tree_of(rules: Rules) -> BettingTree:
    return compile(make_emulator(rules))


def tally_of(
    rules: Rules,
    agents: tuple[Any, Any],
    hands: int,
    *,
    games: int = 10,
    hands_per_game: int = 20,
    batch: int = 1_000,
) -> Tally:
    tree = tree_of(rules)
    tally = Tally.empty(rules, games, hands_per_game)
    for played in batches(rules, tree, *agents, hands, 5, batch=batch):
        tally = tally.add(tree, played)
    return tally


def hashed(rules: Rules) -> tuple[Stateless, Stateless]:
    tree = tree_of(rules)
    return Hashed(tree, 1), Hashed(tree, 2)


@pytest.mark.parametrize("rules", [HULH, HULH_80, LEDUC, KUHN], ids=lambda rules: rules.name)
def test_equals_a_plain_loop_over_hands(rules: Rules) -> None:
    tree, agents, hands = tree_of(rules), hashed(rules), 300
    (played,) = batches(rules, tree, *agents, hands, 5)
    won, counts = [], Counter[str]()  # A's chips hand by hand
    decisions = [Counter[tuple[str, str]](), Counter[tuple[str, str]]()]
    for cards, nodes in zip(played.deals, played.nodes, strict=True):
        for seating, node in enumerate(nodes):
            letters = tree.text(int(node))
            for before, after in pairwise(tree.path(int(node))):
                agent = int(tree.actor[before]) ^ seating
                street = rules.street_names[tree.street[before]]
                decisions[agent][street, ("fold", "call", "raise")[tree.action[after]]] += 1
            paid = tree.contributions[node]
            if letters.endswith("f"):
                folder = int(tree.actor[tree.parent[node]]) ^ seating  # as an agent
                sign = -1 if folder == 0 else 1
                counts["ab"[1 - folder] + " by fold"] += 1
            else:
                sign = showdown_result(tuple(cards.tolist())) * (-1 if seating else 1)
                counts["showdown"] += 1
                counts["ab"[0 if sign > 0 else 1] + " shown"] += sign != 0
            won.append(sign * int(paid.min()))
            if sign:
                counts["ab"[0 if sign > 0 else 1] + " pot"] += int(paid.sum())
                counts["ab"[0 if sign > 0 else 1]] += 1
    deals = np.array(won).reshape(-1, 2).sum(axis=1)
    unit = 1000 / rules.big_blind_chips
    found = tally_of(rules, agents, hands).as_dict()
    assert found["hands"] == hands
    assert found["mbb"] == pytest.approx(unit * np.mean(won))
    error = np.std(deals / 2, ddof=1) / np.sqrt(len(deals))
    assert found["ci95"] == pytest.approx(1.959964 * unit * error)
    assert found["seat_mbb"] == pytest.approx([unit * np.mean(won[::2]), unit * np.mean(won[1::2])])
    assert found["small_bets_per_100"] == pytest.approx(100 * np.mean(won) / rules.bet_sizes[0])
    assert found["showdown_rate"] == counts["showdown"] / hands
    for letter, other, agent, made in zip("ab", "ba", found["agents"], decisions, strict=True):
        split = counts["showdown"] - counts["a shown"] - counts["b shown"]
        half = (counts[f"{letter} shown"] + split / 2) / counts["showdown"]
        assert agent["showdown_win_rate"] == pytest.approx(half)
        assert agent["fold_win_rate"] == counts[f"{letter} by fold"] / hands
        assert (agent["hands_won"], agent["hands_lost"]) == (counts[letter], counts[other])
        assert agent["pot_won_chips"] == pytest.approx(counts[f"{letter} pot"] / counts[letter])
        assert agent["pot_lost_chips"] == pytest.approx(counts[f"{other} pot"] / counts[other])
        for street, shares in agent["actions"].items():
            total = sum(n for (where, _), n in made.items() if where == street)
            assert shares["decisions"] == total
            for action in ("fold", "call", "raise"):
                assert shares[action] == pytest.approx(made[street, action] / total)


def test_games_are_won_by_who_is_ahead() -> None:
    """A plain count: 30 deals, games of 4 hands, the first 14 games counted."""
    tree, agents = tree_of(LEDUC), hashed(LEDUC)
    (played,) = batches(LEDUC, tree, *agents, 60, 5)
    ahead = []
    for game in range(14):
        chips = sum(int(played.chips[deal].sum()) for deal in (2 * game, 2 * game + 1))
        ahead.append(1 if chips > 0 else 0.5 if chips == 0 else 0)
    assert 0.5 in ahead, "ties must be among them"
    for batch in (1, 7, 1_000):
        tally = tally_of(LEDUC, agents, 60, games=14, hands_per_game=4, batch=batch)
        assert tally.games_won == (sum(ahead), 14)
    unfinished = tally_of(LEDUC, agents, 11, games=14, hands_per_game=4)
    assert unfinished.games_won == (sum(ahead[:3]), 3), "12 hands, as an odd one is made even"


@pytest.mark.parametrize("rules", [LEDUC, HULH], ids=lambda rules: rules.name)
def test_batches_leave_no_trace_and_sides_mirror(rules: Rules) -> None:
    a, b = hashed(rules)
    whole = tally_of(rules, (a, b), 600).as_dict()
    for batch in (7, 100, 299):
        assert tally_of(rules, (a, b), 600, batch=batch).as_dict() == whole
    other = tally_of(rules, (b, a), 600).as_dict()
    assert other["mbb"] == -whole["mbb"] != 0
    assert other["ci95"] == whole["ci95"]
    assert other["games_won"] == other["games"] - whole["games_won"]
    assert other["agents"] == whole["agents"][::-1]


def test_agrees_with_match() -> None:
    tree, agents = tree_of(HULH), hashed(HULH)
    result = match(HULH, tree, *agents, 500, 5)
    tally = tally_of(HULH, agents, 500)
    assert tally.winrate_mbb == (result.mbb, result.ci95_mbb)
    assert tuple(tally.as_dict()["seat_mbb"]) == result.seat_mbb
    np.testing.assert_array_equal(tally.actions, result.actions)


def test_adding_changes_nothing_that_was() -> None:
    tree, agents = tree_of(KUHN), hashed(KUHN)
    (played,) = batches(KUHN, tree, *agents, 40, 5)
    empty = Tally.empty(KUHN, 2, 20)
    empty.add(tree, played)
    assert (empty.hands, empty.squares, empty.pots_won) == (0, 0, (0, 0))
    assert not empty.margins.any()
    assert not empty.actions.any()


def test_fold_against_raise_by_hand() -> None:
    """The small blind of 5 lost half of the time, the big blind of 10 the other half."""
    tree = tree_of(HULH)
    found = tally_of(HULH, (always(tree, FOLD), always(tree, RAISE)), 400).as_dict()
    assert (found["mbb"], found["ci95"]) == (-750, 0)
    assert found["small_bets_per_100"] == -75
    assert (found["games_won"], found["games"], found["showdown_rate"]) == (0, 10, 0)
    fold, raises = found["agents"]
    assert (fold["hands_won"], fold["hands_lost"], fold["fold_win_rate"]) == (0, 400, 0)
    assert (fold["pot_won_chips"], fold["pot_lost_chips"]) == (None, 22.5)  # 5 + 10 and 20 + 10
    assert (raises["fold_win_rate"], raises["showdown_win_rate"]) == (1, None)
    assert fold["actions"]["pre-flop"] == {"fold": 1, "call": 0, "raise": 0, "decisions": 400}
    assert raises["actions"]["pre-flop"] == {"fold": 0, "call": 0, "raise": 1, "decisions": 200}
    assert fold["actions"]["flop"] == {"fold": None, "call": None, "raise": None, "decisions": 0}


def test_call_against_raise_by_hand() -> None:
    """Both pay 70, and the same showdown comes from both sides: nobody wins, games are tied."""
    tree = tree_of(HULH)
    found = tally_of(HULH, (always(tree, CALL), always(tree, RAISE)), 400).as_dict()
    assert (found["mbb"], found["ci95"], found["showdown_rate"]) == (0, 0, 1)
    assert (found["games_won"], found["games"]) == (5, 10)
    for agent in found["agents"]:
        assert (agent["pot_won_chips"], agent["pot_lost_chips"]) == (140, 140)
        assert (agent["showdown_win_rate"], agent["fold_win_rate"]) == (0.5, 0)
    shares = found["agents"][0]["actions"]["river"]
    assert shares == {"fold": 0, "call": 1, "raise": 0, "decisions": 600}


@pytest.mark.parametrize(("games", "hands_per_game"), [(0, 10), (10, 0), (10, 7)])
def test_impossible_games_are_refused(games: int, hands_per_game: int) -> None:
    with pytest.raises(ValueError, match="a deal is two hands"):
        Tally.empty(KUHN, games, hands_per_game)
