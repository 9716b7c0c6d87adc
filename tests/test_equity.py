"""Equities equal brute force over explicit deals, and known figures."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from env.boards import EMPTY_BOARD, private_hands
from env.cards import NO_CARD, Cards, canonical, parse_cards
from env.deals import showdown_result
from env.range_views import overlaps
from env.rules import HULH, KUHN, LEDUC, Rules, parse_rules
from evaluation.equity import Boards, HandTable, completions, equities


def board_of(*cards: int) -> Cards:
    return np.array([*cards] + [NO_CARD] * (5 - len(cards)), np.uint8)


def brute_force(rules: Rules, own: list[int], other: list[int], visible: list[int]) -> float:
    """Equity over every rest of the board, deal by deal."""
    left = [card for card in rules.deck if card not in own + other + visible]
    won = []
    for rest in combinations(left, rules.visible_board[-1] - len(visible)):
        board = board_of(*visible, *rest).tolist()
        won.append((showdown_result((*own, *other, *board)) + 1) / 2)
    return float(np.mean(won))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("kuhn", 0),
        ("leduc", 0),
        ("leduc", 1),
        ("fhp:ranks=JQKA,suits=cd", 0),
        ("fhp:ranks=TJQKA,suits=cd", 3),
        ("hulh:ranks=QKA,suits=cdhs", 3),
        ("hulh:ranks=QKA,suits=cdhs", 4),
        ("hulh:ranks=QKA,suits=cdhs", 5),
    ],
)
def test_equals_brute_force(text: str, shown: int) -> None:
    rules, rng = parse_rules(text), np.random.default_rng(0)
    hands = private_hands(rules)
    visible = rng.choice(rules.deck, shown, replace=False).tolist()
    coming = completions(rules, rules.visible_board[-1] - shown, 10_000, rng)
    own = np.flatnonzero(~overlaps(hands, board_of(*visible)))[::7]
    found = equities(hands, own, board_of(*visible), coming)
    for row, hand in enumerate(own):
        for other, cards in enumerate(hands.tolist()):
            mine = hands[hand].tolist()
            if not {*mine, *visible} & set(cards) - {NO_CARD}:
                exact = brute_force(rules, mine, cards, visible)
                assert found[row, other] == pytest.approx(exact, abs=1e-12)


def test_known_pre_flop_equities() -> None:
    table = HandTable(HULH, np.random.default_rng(0))
    index = {tuple(hand): row for row, hand in enumerate(table.hands.tolist())}

    def equity(own: str, other: str) -> float:
        rows = [index[tuple(sorted(parse_cards(text)))] for text in (own, other)]
        return float(table.empty_board[rows[0], rows[1]])

    assert equity("AsAh", "KdKc") == pytest.approx(0.824, abs=0.045)
    assert equity("AsKs", "QdQc") == pytest.approx(0.462, abs=0.055)
    assert equity("7c2d", "AsAh") == pytest.approx(0.124, abs=0.04)
    table_of_all = np.where(table.apart, table.empty_board, 0)
    assert np.allclose(table_of_all + table_of_all.T, table.apart), "what one wins the other loses"


def test_completions_are_all_or_a_sample() -> None:
    rng = np.random.default_rng(0)
    assert completions(KUHN, 0, 10, rng).shape == (1, 0)
    assert len(completions(HULH, 2, 2000, rng)) == 1326
    sample = completions(HULH, 2, 100, rng)
    assert sample.shape == (100, 2)
    assert (sample[:, 0] != sample[:, 1]).all()


def test_overlaps_ignore_empty_slots() -> None:
    hands = private_hands(LEDUC)
    assert overlaps(hands, hands).tolist() == np.eye(6, dtype=bool).tolist()
    assert not overlaps(hands, EMPTY_BOARD).any()


def test_boards_give_every_hand_its_view() -> None:
    rng = np.random.default_rng(0)
    table = HandTable(HULH, rng)
    full = np.stack([rng.choice(52, 5, replace=False) for _ in range(3)]).astype(np.uint8)
    boards = Boards(table, full, np.stack([table.by_rank(row)[:2] for row in full]))
    assert len(boards.seen.boards) == 1 + 3 * 3, "all boards start empty"
    assert boards.seen.num_views[0] == 169
    for street, shown in enumerate(HULH.visible_board):
        for board in range(3):
            row = boards.visible_of[street, board]
            assert boards.seen.boards[row].tolist() == board_of(*full[board, :shown]).tolist()
            ranges = boards.seen
            possible = ranges.possible[row]
            assert possible.sum() == (52 - shown) * (51 - shown) // 2
            found = boards.seen.views[
                boards.seen.first_view[row] + boards.seen.view_of[row, possible]
            ]
            seen = np.tile(boards.seen.boards[row], (len(found), 1))
            assert (found == canonical(np.column_stack([table.hands[possible], seen]))).all()
