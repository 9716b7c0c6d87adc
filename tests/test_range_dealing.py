"""Boards and hands of range sampling are drawn in strata, and all are equally likely."""

from __future__ import annotations

import numpy as np

from deep_cfr.sampling.range_dealing import (
    deal_first_cards,
    stratified_sample,
)
from env.rules import parse_rules


def test_hands_drawn_from_strata_meet_as_often_as_any_others() -> None:
    """Hands are drawn equally often, and so are pairs, counted as the deal counts them."""
    rng, hands, strata, draws = np.random.default_rng(3), 13, 3, 60_000
    size = hands // strata
    strength = rng.permutation(hands).astype(np.int32)
    met = np.zeros((hands, hands))
    pair = np.arange(2 * strata) // 2
    counts = np.where(pair[:, None] == pair, 2 * (size - 1) / size, 1.0)
    for _ in range(draws):
        drawn = stratified_sample(strength, strata, rng)
        met[np.ix_(drawn, drawn)] += counts
    met = met[~np.eye(hands, dtype=bool)] / draws
    expected = 2 * strata * (2 * strata - 2 / size) / (hands * (hands - 1))
    np.testing.assert_allclose(met, expected, rtol=0.06)


def test_every_flop_is_as_likely_as_any_other_and_they_are_spread() -> None:
    rules, rng = parse_rules("leduc"), np.random.default_rng(4)
    cards = np.concatenate([deal_first_cards(rules, 4, rng) for _ in range(3_000)])
    ranks = np.bincount(cards[:, 0] // 4, minlength=13)
    np.testing.assert_allclose(ranks[ranks > 0] / len(cards), 1 / 3, atol=0.01)
    assert len(np.unique(deal_first_cards(rules, 6, rng))) == 3, "each rank, whatever the draw"
