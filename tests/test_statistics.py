"""Statistics of a pairing against a plain loop over hands, and values worked out by hand."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from arena.match import Played, batches, match
from arena.results import PairResult, StreetActions, seen_by
from arena.statistics import Tally
from env.actions import ACTION_NAMES, CALL, FOLD, RAISE
from env.deals import showdown_result
from env.game import Game, load_game
from env.rules import HULH, HULH_80, KUHN, LEDUC, Rules
from policies.fixed import always
from policies.policy import Policy
from tests.games import tree_of
from tests.policies import hashed_pair


def tally_of(
    rules: Rules,
    agents: tuple[Policy, Policy],
    hands: int,
    *,
    games: int = 10,
    hands_per_game: int = 20,
    batch: int = 1_000,
) -> Tally:
    game = load_game(rules)
    tally = Tally.empty(rules, games, hands_per_game)
    for played in batches(game, *agents, hands, 5, batch=batch):
        tally = tally.add(game, played)
    return tally


def result_of(
    rules: Rules, agents: tuple[Policy, Policy], hands: int, **options: int
) -> PairResult:
    return tally_of(rules, agents, hands, **options).result("a", "b", seconds=0.0)


class Counts(NamedTuple):
    """What a plain loop over the hands of a match between A and B adds up."""

    won: list[int]  # A's chips, hand by hand
    hands: Counter[str]
    decisions: tuple[Counter[tuple[str, str]], ...]  # of A and of B: (street, action)


def plain_counts(game: Game, played: Played) -> Counts:
    tree, rules = game.tree, game.rules
    won, counts = [], Counter[str]()
    decisions = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
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
    return Counts(won, counts, decisions)


@pytest.mark.parametrize("rules", [HULH, HULH_80, LEDUC, KUHN], ids=lambda rules: rules.name)
def test_equals_a_plain_loop_over_hands(rules: Rules) -> None:
    game, agents, hands = load_game(rules), hashed_pair(tree_of(rules)), 300
    (played,) = batches(game, *agents, hands, 5)
    won, counts, decisions = plain_counts(game, played)
    deals = np.array(won).reshape(-1, 2).sum(axis=1)
    unit = 1000 / rules.big_blind_chips
    found = result_of(rules, agents, hands)
    assert found.hands == hands
    assert found.mbb == pytest.approx(unit * np.mean(won))
    error = np.std(deals / 2, ddof=1) / np.sqrt(len(deals))
    assert found.ci95 == pytest.approx(1.959964 * unit * error)
    assert found.seat_mbb == pytest.approx((unit * np.mean(won[::2]), unit * np.mean(won[1::2])))
    assert found.small_bets_per_100 == pytest.approx(100 * np.mean(won) / rules.bet_sizes[0])
    assert found.showdown_rate == counts["showdown"] / hands
    for letter, other, stats, made in zip("ab", "ba", found.agents, decisions, strict=True):
        split = counts["showdown"] - counts["a shown"] - counts["b shown"]
        half = (counts[f"{letter} shown"] + split / 2) / counts["showdown"]
        assert stats.showdown_win_rate == pytest.approx(half)
        assert stats.fold_win_rate == counts[f"{letter} by fold"] / hands
        assert (stats.hands_won, stats.hands_lost) == (counts[letter], counts[other])
        assert stats.pot_won_chips == pytest.approx(counts[f"{letter} pot"] / counts[letter])
        assert stats.pot_lost_chips == pytest.approx(counts[f"{other} pot"] / counts[other])
        assert tuple(stats.actions) == rules.street_names
        for street, chosen in stats.actions.items():
            counted = [made[street, action] for action in ("fold", "call", "raise")]
            assert chosen.decisions == sum(counted)
            assert chosen.shares == pytest.approx([n / sum(counted) for n in counted])


def test_games_are_won_by_who_is_ahead() -> None:
    """A plain count: 30 deals, games of 4 hands, the first 14 games counted."""
    game, agents = load_game(LEDUC), hashed_pair(tree_of(LEDUC))
    (played,) = batches(game, *agents, 60, 5)
    ahead = []
    for number in range(14):
        chips = sum(int(played.chips[deal].sum()) for deal in (2 * number, 2 * number + 1))
        ahead.append(1 if chips > 0 else 0.5 if chips == 0 else 0)
    assert 0.5 in ahead, "ties must be among them"
    for batch in (1, 7, 1_000):
        tally = tally_of(LEDUC, agents, 60, games=14, hands_per_game=4, batch=batch)
        assert tally.games_won == (sum(ahead), 14)
    unfinished = tally_of(LEDUC, agents, 11, games=14, hands_per_game=4)
    assert unfinished.games_won == (sum(ahead[:3]), 3), "12 hands, as an odd one is made even"


@pytest.mark.parametrize("rules", [LEDUC, HULH], ids=lambda rules: rules.name)
def test_batches_leave_no_trace_and_sides_mirror(rules: Rules) -> None:
    a, b = hashed_pair(tree_of(rules))
    whole = result_of(rules, (a, b), 600)
    for batch in (7, 100, 299):
        assert result_of(rules, (a, b), 600, batch=batch) == whole
    other = result_of(rules, (b, a), 600)
    assert other.mbb == -whole.mbb != 0
    assert other.ci95 == whole.ci95
    assert other.games_won == other.games - whole.games_won
    assert other.agents == whole.agents[::-1]
    assert dataclasses.replace(other, a="b", b="a") == whole.mirrored()


def test_agrees_with_match() -> None:
    game, agents = load_game(HULH), hashed_pair(tree_of(HULH))
    result = match(game, *agents, 500, 5)
    tally = tally_of(HULH, agents, 500)
    assert tally.winrate_mbb == (result.mbb, result.ci95_mbb)
    assert tally.result("a", "b", seconds=0.0).seat_mbb == result.seat_mbb
    np.testing.assert_array_equal(tally.actions, result.actions)


def test_adding_changes_nothing_that_was() -> None:
    game, agents = load_game(KUHN), hashed_pair(tree_of(KUHN))
    (played,) = batches(game, *agents, 40, 5)
    empty = Tally.empty(KUHN, 2, 20)
    empty.add(game, played)
    assert (empty.hands, empty.squares, empty.pots_won) == (0, 0, (0, 0))
    assert not empty.margins.any()
    assert not empty.actions.any()


def test_fold_against_raise_by_hand() -> None:
    """The small blind of 5 lost half of the time, the big blind of 10 the other half."""
    tree = load_game(HULH).tree
    found = result_of(HULH, (always(tree, FOLD), always(tree, RAISE)), 400)
    assert (found.mbb, found.ci95) == (-750, 0)
    assert found.small_bets_per_100 == -75
    assert (found.games_won, found.games, found.showdown_rate) == (0, 10, 0)
    fold, raises = found.agents
    assert (fold.hands_won, fold.hands_lost, fold.fold_win_rate) == (0, 400, 0)
    assert (fold.pot_won_chips, fold.pot_lost_chips) == (None, 22.5)  # 5 + 10 and 20 + 10
    assert (raises.fold_win_rate, raises.showdown_win_rate) == (1, None)
    assert fold.actions["pre-flop"] == StreetActions(shares=(1, 0, 0), decisions=400)
    assert raises.actions["pre-flop"] == StreetActions(shares=(0, 0, 1), decisions=200)
    assert fold.actions["flop"] == StreetActions(shares=(None, None, None), decisions=0)


def test_call_against_raise_by_hand() -> None:
    """Both pay 70, and the same showdown comes from both sides: nobody wins, games are tied."""
    tree = load_game(HULH).tree
    found = result_of(HULH, (always(tree, CALL), always(tree, RAISE)), 400)
    assert (found.mbb, found.ci95, found.showdown_rate) == (0, 0, 1)
    assert (found.games_won, found.games) == (5, 10)
    for agent in found.agents:
        assert (agent.pot_won_chips, agent.pot_lost_chips) == (140, 140)
        assert (agent.showdown_win_rate, agent.fold_win_rate) == (0.5, 0)
    assert found.agents[0].actions["river"] == StreetActions(shares=(0, 1, 0), decisions=600)


@pytest.mark.parametrize(("games", "hands_per_game"), [(0, 10), (10, 0), (10, 7)])
def test_impossible_games_are_refused(games: int, hands_per_game: int) -> None:
    with pytest.raises(ValueError, match="a deal is two hands"):
        Tally.empty(KUHN, games, hands_per_game)


def test_results_come_back_from_json() -> None:
    """Through text, as results.json keeps them, with rates of hands that never came up."""
    tree = load_game(HULH).tree
    for agents in (hashed_pair(tree_of(HULH)), (always(tree, FOLD), always(tree, RAISE))):
        found = result_of(HULH, agents, 400)
        entry = json.loads(json.dumps(found.to_json()))
        assert PairResult.from_json(entry) == found
        assert entry["agents"][0]["actions"]["pre-flop"].keys() == {*ACTION_NAMES, "decisions"}


def test_one_agents_pairs_are_seen_from_its_side() -> None:
    won, lost = hashed_pair(tree_of(LEDUC))
    first = tally_of(LEDUC, (won, lost), 200).result("x", "y", seconds=0.0)
    other = tally_of(LEDUC, (lost, won), 200).result("z", "x", seconds=0.0)
    stranger = dataclasses.replace(first, a="y", b="z")
    seen = seen_by("x", [first, other, stranger])
    assert [(pair.a, pair.b) for pair in seen] == [("x", "y"), ("x", "z")]
    assert seen[0].mbb == seen[1].mbb == first.mbb != 0
    assert seen[1].agents == first.agents
