"""Pairs, when they stop, and what all results say together."""

from __future__ import annotations

import dataclasses
from itertools import combinations, permutations

import numpy as np
import pytest

from arena.match import match
from arena.report import signed, terminal
from arena.results import AgentStats, PairResult
from arena.round_robin import all_pairs, play_pair
from arena.schedule import LOOK_HANDS, Schedule
from arena.standings import profile, standings
from env.actions import CALL, FOLD, RAISE
from env.game import load_game
from env.rules import HULH, KUHN, LEDUC
from policies.fixed import always
from tests.policies import Hashed, hashed_pair


def entry(a: str, b: str, mbb: float, ci95: float = 1.0) -> PairResult:
    """A result of which standings read who played, what was won and the games."""
    nothing = AgentStats(
        actions={},
        hands_won=0,
        hands_lost=0,
        pot_won_chips=None,
        pot_lost_chips=None,
        showdown_win_rate=None,
        fold_win_rate=0.0,
    )
    return PairResult(
        a=a,
        b=b,
        hands=1_000,
        mbb=mbb,
        ci95=ci95,
        seat_mbb=(mbb, mbb),
        small_bets_per_100=mbb / 10,
        games_won=60.5,
        games=100,
        hands_per_game=10,
        showdown_rate=0.0,
        agents=(nothing, nothing),
        seconds=0.0,
    )


def test_everybody_meets_everybody_once() -> None:
    pairs = all_pairs(["a", "b", "c", "d"])
    assert len(pairs) == 6
    assert {frozenset(pair) for pair in pairs} == {frozenset(p) for p in combinations("abcd", 2)}


def test_a_pair_is_a_match_on_the_deals_of_the_seed() -> None:
    """So all pairs get the same deals, and who else plays does not matter."""
    game = load_game(LEDUC)
    agents = [Hashed(game.tree, seed) for seed in range(3)]
    schedule = Schedule(hands=2_000, games=10, hands_per_game=100, seed=4)
    for a, b in permutations(agents, 2):
        found = play_pair(game, a, b, schedule, batch=300)
        result = match(game, a, b, 2_000, 4)
        assert found.winrate_mbb == (result.mbb, result.ci95_mbb)


def test_stops_at_the_first_look_that_is_precise_enough() -> None:
    game = load_game(LEDUC)
    a, b = hashed_pair(game.tree)
    looks = [match(game, a, b, LOOK_HANDS * n, 3).ci95_mbb for n in range(1, 5)]
    assert looks == sorted(looks, reverse=True)
    precision = (looks[1] + looks[2]) / 2  # reached at the third look
    schedule = Schedule(None, precision, 200_000, 10, 100, seed=3)
    reports: list[tuple[int, int]] = []

    def progress(hands: int, expected: int) -> None:
        reports.append((hands, expected))

    found = play_pair(game, a, b, schedule, batch=7_000, progress=progress)
    assert found.hands == 3 * LOOK_HANDS
    assert found.winrate_mbb[1] == looks[2]
    assert reports[-1] == (3 * LOOK_HANDS, 3 * LOOK_HANDS)
    assert all(hands <= expected <= 200_000 for hands, expected in reports)
    for batch in (999, 50_000):
        again = play_pair(game, a, b, schedule, batch=batch)
        assert again.result("a", "b", 0.0) == found.result("a", "b", 0.0)


def test_stops_at_the_cap_and_not_within_games() -> None:
    game = load_game(KUHN)
    a, b = hashed_pair(game.tree)
    capped = play_pair(game, a, b, Schedule(None, 1e-9, 25_000, 10, 100))
    assert capped.hands == 25_000
    long_games = play_pair(game, a, b, Schedule(None, 1e9, 100_000, 10, 2_500))
    assert long_games.hands == 2 * LOOK_HANDS
    assert long_games.games_won[1] == 10


def test_known_outcomes() -> None:
    game = load_game(HULH)
    fold, call, raises = (always(game.tree, action) for action in (FOLD, CALL, RAISE))
    schedule = Schedule(hands=1_000, games=10, hands_per_game=100)
    assert play_pair(game, fold, raises, schedule).winrate_mbb == (-750, 0)
    assert play_pair(game, call, raises, schedule).winrate_mbb == (0, 0)
    assert play_pair(game, raises, fold, schedule).games_won == (10, 10)


def test_ranking_is_by_mean_winrate() -> None:
    table = standings(
        ["a", "b", "c"], [entry("a", "b", 10, 4), entry("a", "c", -40, 6), entry("b", "c", 1, 2)]
    )
    names = [table.names[place.agent] for place in table.ranking]
    assert names == ["c", "b", "a"]
    best, middle, last = table.ranking
    assert (best.mbb, best.ci95_mbb, best.wins, best.losses) == (19.5, 4, 1, 0)
    assert (middle.mbb, middle.wins, middle.losses) == (-4.5, 0, 1)
    assert (last.mbb, last.ci95_mbb, last.wins, last.losses) == (-15, 5, 1, 1)
    np.testing.assert_array_equal(table.mbb[0, 1:], [10, -40])
    np.testing.assert_array_equal(table.games_won[:, 0], [np.nan, 39.5, 39.5])
    assert table.upsets == [("a", "b")]
    assert table.cycles == []


def test_the_interval_of_a_mean_holds_when_results_move_together() -> None:
    """The same opponent three times: the mean is as uncertain as one result, not less."""
    game = load_game(LEDUC)
    a, b = hashed_pair(game.tree)
    schedule = Schedule(hands=2_000, games=10, hands_per_game=100)
    mbb, ci95 = play_pair(game, a, b, schedule).winrate_mbb
    pairs = [entry("a", twin, mbb, ci95) for twin in "xyz"]
    pairs += [entry(one, other, 0, 0) for one, other in combinations("xyz", 2)]
    place = next(p for p in standings(list("axyz"), pairs).ranking if p.agent == 0)
    assert (place.mbb, place.ci95_mbb) == pytest.approx((mbb, ci95))


def test_cycles_are_found_by_brute_force_too() -> None:
    rng = np.random.default_rng(2)
    names = list("abcdefg")
    pairs = [entry(a, b, float(rng.normal()), 0.3) for a, b in combinations(names, 2)]
    wins = {(pair.a, pair.b) for pair in pairs if pair.mbb > 0.3}
    wins |= {(pair.b, pair.a) for pair in pairs if pair.mbb < -0.3}
    rings = {
        frozenset({(a, b), (b, c), (c, a)})
        for a, b, c in permutations(names, 3)
        if {(a, b), (b, c), (c, a)} <= wins
    }
    table = standings(names, pairs)
    found = [frozenset({(a, b), (b, c), (c, a)}) for a, b, c in table.cycles]
    assert len(found) == len(set(found)) > 0
    assert set(found) == rings
    order = [table.names[place.agent] for place in table.ranking]
    upsets = {pair for pair in wins if order.index(pair[0]) > order.index(pair[1])}
    assert set(table.upsets) == upsets


def test_a_ring_that_is_not_significant_is_none() -> None:
    ring = [entry("a", "b", 10), entry("b", "c", 10), entry("a", "c", -10)]
    assert standings(list("abc"), ring).cycles == [("a", "b", "c")]
    ring[2] = dataclasses.replace(ring[2], ci95=11)
    assert standings(list("abc"), ring).cycles == []


def test_the_terminal_shows_ranking_matrix_and_ring() -> None:
    ring = [entry("ann", "bob", 10), entry("bob", "cy", 20), entry("ann", "cy", -30, 4)]
    table = standings(["ann", "bob", "cy"], ring)
    text = terminal(table)
    assert "1 cycle of significant results" in text
    assert "ann beats bob beats cy beats ann" in text
    assert [line.split()[1] for line in text.splitlines()[2:5]] == ["bob", "cy", "ann"]
    assert "bob        ·      +20      -10" in text


def test_standings_as_results_json_shows_them() -> None:
    ring = [entry("ann", "bob", 10), entry("bob", "cy", 20), entry("ann", "cy", -30, 4)]
    shown = standings(["ann", "bob", "cy"], ring).to_json()
    assert list(shown) == ["ranking", "cycles", "upsets"]
    assert shown["ranking"][0] == {
        "name": "bob",
        "mbb": 5,
        "ci95": 1,
        "significant_wins": 1,
        "significant_losses": 1,
    }
    assert shown["cycles"] == [["ann", "bob", "cy"]]
    assert shown["upsets"] == [{"winner": "ann", "loser": "bob"}]


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1234.56, 1, "+1,234.6"),
        (-1234.56, 0, "−1,235"),
        (0.04, 1, "0.0"),
        (-0.04, 1, "0.0"),
        (-0.4, 0, "0"),
        (100.0, 0, "+100"),
        (-0.05, 2, "−0.05"),
    ],
)
def test_numbers_have_a_sign_unless_they_are_rounded_to_0(
    value: float, digits: int, text: str
) -> None:
    assert signed(value, digits) == text


def test_profiles_weigh_what_they_count() -> None:
    """Over two opponents as over all hands in one list."""
    game = load_game(LEDUC)
    agents = {name: Hashed(game.tree, seed) for seed, name in enumerate("abc")}
    lengths = {("a", "b"): 200, ("a", "c"): 1_000}
    pairs, tallies = [], []
    for (a, b), hands in lengths.items():
        tally = play_pair(game, agents[a], agents[b], Schedule(hands, 1, 1, 10, 20))
        tallies.append(tally)
        pairs.append(tally.result(a, b, seconds=0.0))
    found = profile("a", pairs)
    counts = sum(tally.actions[0] for tally in tallies)
    for street, name in enumerate(LEDUC.street_names):
        assert found.shares[name] == pytest.approx(counts[street] / counts[street].sum())
    won = [t.showdowns_won[0] + t.folds_won[0] for t in tallies]
    lost = [t.showdowns_won[1] + t.folds_won[1] for t in tallies]
    assert found.pot_won_chips == pytest.approx(sum(t.pots_won[0] for t in tallies) / sum(won))
    assert found.pot_lost_chips == pytest.approx(sum(t.pots_won[1] for t in tallies) / sum(lost))
    assert found.showdown_rate == pytest.approx(sum(t.showdowns for t in tallies) / 1_200)
    assert found.fold_win_rate == pytest.approx(sum(t.folds_won[0] for t in tallies) / 1_200)
