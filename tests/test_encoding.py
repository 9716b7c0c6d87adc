"""Features: what they say of an infoset, and that no two infosets look alike."""

from __future__ import annotations

import numpy as np
import pytest

from deep_cfr.networks.encoding import make_encoding
from env.cards import NO_CARD, parse_cards
from env.game import load_game
from env.rules import FHP, HULH, HULH_80, KUHN, LEDUC, Rules
from env.views import Views


@pytest.mark.parametrize("rules", [KUHN, LEDUC, FHP, HULH, HULH_80], ids=lambda r: r.name)
def test_every_decision_has_betting_features_of_its_own(rules: Rules) -> None:
    game = load_game(rules)
    bets = make_encoding("paper", game).bet_table[game.tree.is_decision]
    assert len(np.unique(bets, axis=0)) == game.tree.is_decision.sum()


def test_thesis_betting_row_by_hand() -> None:
    game = load_game(HULH_80)
    tree, ours = game.tree, make_encoding("thesis", game)
    node = tree.node("crc/cr")
    assert ours.bet_table[node, :6].tolist() == [-1, 1, -1, -1, 1, 0]
    assert not ours.bet_table[node, 5:].any()
    decisions = tree.is_decision
    assert len(np.unique(ours.bet_table[decisions], axis=0)) == decisions.sum()


def test_paper_betting_features_by_hand() -> None:
    game = load_game(FHP)
    rows = make_encoding("paper", game).bet_table
    features = rows[game.tree.node("rc/cr")].reshape(2, 5, 2)  # street, slot, (made, size)
    np.testing.assert_allclose(features[0, :3], [[1.0, 15 / 15], [1.0, 10 / 30], [0.0, 0.0]])
    np.testing.assert_allclose(features[1, :3], [[1.0, 0.0], [1.0, 10 / 40], [0.0, 0.0]])


def test_card_features_by_hand() -> None:
    game = load_game(FHP)
    views = Views(game, np.array([[*parse_cards("AsKs QsJd2d"), NO_CARD, NO_CARD]], np.uint8))
    features = make_encoding("paper", game).card_features(views).reshape(2, 69)
    assert np.flatnonzero(features[0, :52]).tolist() == sorted(parse_cards("AsKs"))
    assert features[0, 52:65].tolist() == [0] * 11 + [1, 1]
    assert features[0, 65:].tolist() == [0, 0, 0, 2]
    assert np.flatnonzero(features[1, :52]).tolist() == sorted(parse_cards("QsJd2d"))
    assert features[1, 65:].tolist() == [0, 2, 0, 1]
    thesis = make_encoding("thesis", game).card_features(views).reshape(2, 52)
    assert np.flatnonzero(thesis[0]).tolist() == sorted(parse_cards("AsKs"))
    assert np.flatnonzero(thesis[1]).tolist() == sorted(parse_cards("QsJd2d"))
