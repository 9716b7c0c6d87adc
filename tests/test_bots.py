"""Bots play what their names say."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.bots import make_bot
from agents.names import BOT_NAMES
from agents.styles import STYLES, StrengthPolicy, Style, raises_on_street, style_rule
from arena.match import batches, match
from env.actions import CALL, FOLD, RAISE
from env.cards import Cards
from env.deals import canonical_views, deal
from env.game import Game, load_game
from env.rules import FHP, HULH, KUHN, LEDUC
from env.strength import Strengths
from env.views import Views
from policies.policy import Policy

STRENGTH_BOTS = ("honest", *STYLES)


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game(HULH)


def situations(game: Game, count: int, seed: int) -> tuple[Cards, NDArray[np.int64]]:
    """Random decisions with what the actor sees there."""
    tree, rng = game.tree, np.random.default_rng(seed)
    nodes = rng.choice(np.flatnonzero(tree.is_decision), count)
    views = canonical_views(HULH, deal(HULH, count, rng))
    return views[np.arange(count), tree.actor[nodes], tree.street[nodes]], nodes


@pytest.mark.parametrize("name", BOT_NAMES)
def test_rows_are_strategies_and_repeat(game: Game, name: str) -> None:
    cards, nodes = situations(game, 2000, 0)
    bot = make_bot(name, game)
    rows = bot.strategies(cards, nodes)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-6)
    assert (rows >= 0).all()
    assert (rows[~game.tree.legal[nodes]] == 0).all()
    # Asked again, in parts and in another order, by row of known views.
    ask = make_bot(name, game).for_views(Views(game, cards))
    order = np.random.default_rng(1).permutation(len(nodes))
    for part in np.array_split(np.concatenate([order, order]), 5):
        np.testing.assert_array_equal(ask(part, nodes[part]), rows[part])


def test_honest_calls_from_one_half_on_and_never_raises(game: Game) -> None:
    cards, nodes = situations(game, 3000, 2)
    strengths = Strengths(HULH).expected(cards)
    rows = make_bot("honest", game).strategies(cards, nodes)
    for strength, node, row in zip(strengths, nodes, rows, strict=True):
        folds = game.tree.legal[node, FOLD] and strength < 0.5
        assert row.tolist() == ([1, 0, 0] if folds else [0, 1, 0])


def test_style_by_a_plain_ladder_of_questions(game: Game) -> None:
    style = Style((0.4, 0.45, 0.5, 0.55), (0.5, 0.4, 0.6, 0.65), (0.7, 0.75, 0.8, 0.85), 0.25)
    tree, (cards, nodes) = game.tree, situations(game, 4000, 3)
    rows = StrengthPolicy(game, style_rule(tree, style)).strategies(cards, nodes)
    seen = set()
    for strength, node, row in zip(Strengths(HULH).expected(cards), nodes, rows, strict=True):
        street, line = tree.street[node], tree.text(int(node)).split("/")
        raised = "r" in line[tree.street[node]]
        fold, _, may_raise = tree.legal[node]
        if may_raise and strength >= np.float32(
            (style.reraise_at if raised else style.raise_at)[street]
        ):
            expected = [0.0, 0.0, 1.0]
        elif strength >= np.float32(style.enter[street]):
            expected = [0, 1, 0]
        elif fold:
            expected = [1, 0, 0]
        elif may_raise:
            expected = [0, 1 - style.bluff, style.bluff]
        else:
            expected = [0, 1, 0]
        assert row.tolist() == expected
        seen.add(tuple(expected))
    assert len(seen) == 4


def test_raises_on_street_reads_the_line(game: Game) -> None:
    tree = game.tree
    counts = raises_on_street(tree)
    for node in np.random.default_rng(4).choice(np.flatnonzero(tree.is_decision), 500):
        assert counts[node] == tree.text(int(node)).split("/")[tree.street[node]].count("r")


@dataclass(frozen=True)
class Habits:
    vpip: float  # share of hands in which chips are put in voluntarily before the flop
    aggression: float  # bets and raises for every call of a bet


def habits(game: Game, a: Policy, b: Policy, num_hands: int) -> Habits:
    """A's, from the paths of the hands of a match."""
    tree = game.tree
    hands = voluntary = bets = calls = 0
    for played in batches(game, a, b, num_hands, seed=5):
        for seat in (0, 1):
            nodes, counts = np.unique(played.nodes[:, seat], return_counts=True)
            for node, count in zip(nodes, counts, strict=True):
                path = list(tree.path(int(node)))
                steps = [
                    (int(tree.action[after]), bool(tree.legal[before, FOLD]), tree.street[before])
                    for before, after in pairwise(path)
                    if tree.actor[before] == seat
                ]
                pays = [s == 0 and (x == RAISE or (x == CALL and owes)) for x, owes, s in steps]
                hands += count
                voluntary += count * any(pays)
                bets += count * sum(x == RAISE for x, _, _ in steps)
                calls += count * sum(x == CALL and owes for x, owes, _ in steps)
    return Habits(voluntary / hands, bets / calls)


def test_styles_behave_as_named(game: Game) -> None:
    found = {}
    for name in STYLES:
        bot = make_bot(name, game)
        found[name] = habits(game, bot, make_bot("random", game), 3000)
    for temper in ("passive", "aggressive"):
        loose, tight = found[f"loose-{temper}"], found[f"tight-{temper}"]
        assert loose.vpip > tight.vpip + 0.2
    for range_ in ("loose", "tight"):
        aggressive, passive = found[f"{range_}-aggressive"], found[f"{range_}-passive"]
        assert aggressive.aggression > 2 * passive.aggression
    assert found["loose-passive"].aggression < 1 < found["tight-aggressive"].aggression


def test_bluffs_only_when_checking_is_free(game: Game) -> None:
    style = dataclasses.replace(STYLES["tight-passive"], bluff=1.0)
    cards, nodes = situations(game, 4000, 6)
    plain = StrengthPolicy(game, style_rule(game.tree, STYLES["tight-passive"]))
    bold = StrengthPolicy(game, style_rule(game.tree, style))
    differs = (plain.strategies(cards, nodes) != bold.strategies(cards, nodes)).any(axis=1)
    assert differs.any()
    assert not game.tree.legal[nodes[differs], FOLD].any()


def test_a_sensible_style_beats_the_simple_bots(game: Game) -> None:
    bot = make_bot("tight-aggressive", game)
    for name in ("random", "call", "raise"):
        result = match(game, bot, make_bot(name, game), 6000, seed=7)
        assert result.mbb > result.ci95_mbb, name


def test_flop_holdem_has_them_too_and_toy_games_do_not() -> None:
    fhp = load_game(FHP)
    for name in STRENGTH_BOTS:
        result = match(fhp, make_bot(name, fhp), make_bot("fold", fhp), 200, seed=8)
        assert result.actions[0].sum() > 0
    for toy in (load_game(KUHN), load_game(LEDUC)):
        make_bot("raise", toy)
        with pytest.raises(ValueError, match=f"not for {toy.rules.name}"):
            make_bot("honest", toy)


def test_an_unknown_bot_is_refused(game: Game) -> None:
    with pytest.raises(ValueError, match="no bot 'maniac'; choose from random, fold"):
        make_bot("maniac", game)
