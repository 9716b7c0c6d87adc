"""Rules: the presets, their text form, and the refusal of what no table could play."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from env.rules import FHP, HULH, HULH_80, HULH_PAPER, KUHN, LEDUC, PRESETS, Rules, RulesError
from env.rules import parse_rules as parse


def test_presets_are_the_published_games() -> None:
    assert list(PRESETS) == ["hulh", "hulh80", "fhp", "hulh-paper", "leduc", "kuhn"]
    for rules in (HULH, HULH_80, HULH_PAPER, FHP):
        assert (rules.small_blind, rules.big_blind) == (5, 10)
    assert HULH.bet_sizes == HULH_80.bet_sizes == HULH_PAPER.bet_sizes == (10, 10, 20, 20)
    assert HULH.max_raises == HULH_80.max_raises == (3, 4, 4, 4)
    assert HULH_PAPER.max_raises == (3, 3, 4, 4)
    assert (FHP.bet_sizes, FHP.max_raises, FHP.visible_board) == ((10, 10), (3, 3), (0, 3))
    assert HULH.visible_board == (0, 3, 4, 5)
    assert [rules.stack_binds for rules in PRESETS.values()] == [False, True, *[False] * 4]
    assert len(HULH.deck) == 52
    assert len(LEDUC.deck) == 6
    assert len(KUHN.deck) == 3


def test_rules_are_frozen_and_lists_do() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        HULH.stack = 1  # type: ignore[misc]
    with_lists: dict[str, Any] = {"bet_sizes": [10, 10, 20, 20], "max_raises": [3, 4, 4, 4]}
    assert dataclasses.replace(HULH, **with_lists) == HULH
    assert hash(dataclasses.replace(HULH, **with_lists)) == hash(HULH)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"small_blind": -5}, "small_blind is -5, but no amount can be negative"),
        ({"bet_sizes": (10, 10, -20, 20)}, r"bet_sizes\[2\] is -20, but no amount can be negative"),
        ({"max_raises": (3, 4, 4, -1)}, r"max_raises\[3\] is -1, but no amount can be negative"),
        ({"stack": -1}, "stack is -1"),
        ({"stack": 80.0}, "stack must be a whole number, not 80.0"),
        ({"stack": True}, "stack must be a whole number, not True"),
        ({"stack": "80"}, "stack must be a whole number, not '80'"),
        ({"small_blind": 20}, "the small blind 20 is above the big blind 10"),
        ({"small_blind": 4}, "the big blind 10 is not twice the small blind 4"),
        ({"small_blind": 0, "big_blind": 0}, "hold'em needs both blinds"),
        ({"stack": 9}, "a stack of 9 cannot pay the big blind of 10"),
        ({"streets": 0, "bet_sizes": (), "max_raises": ()}, "0 streets"),
        ({"streets": 5}, "5 streets, but a hand has between one and four"),
        ({"streets": 2}, "bet_sizes has 4 entries, one per street makes 2"),
        ({"bet_sizes": (10, 10, 20)}, "bet_sizes has 3 entries, one per street makes 4"),
        ({"max_raises": (3,)}, "max_raises has 1 entry, one per street makes 4"),
        ({"max_raises": 3}, "max_raises must be a list"),
        ({"bet_sizes": (10, 5, 20, 20)}, r"bet_sizes\[1\] is 5, below the big blind 10"),
        ({"bet_sizes": (10, 0, 20, 20)}, r"bet_sizes\[1\] is 0, but a bet needs chips"),
        ({"ante": 1}, "hold'em is played without an ante"),
        ({"board_cards": (0, 3, 1)}, "board_cards has 3 entries for 4 streets"),
        ({"board_cards": (3, 0, 1, 1)}, "not hold'em's"),
        ({"first_to_act": (0, 0, 0, 0)}, "acts last after it"),
        ({"first_to_act": (0, 1, 2, 1)}, "players other than 0 and 1"),
        ({"hole_cards": 3}, "3 hole cards"),
        ({"hole_cards": 0}, "0 hole cards"),
        ({"ranks": "2345X"}, "not all among"),
        ({"ranks": "22345"}, "each rank once"),
        ({"suits": "hs"}, "first one to four"),
        ({"ranks": "AK"}, "a hand needs 9 cards and the deck has 8"),
        ({"name": ""}, "need a name"),
        ({"suits": 5}, "suits 5 must be the first"),
        ({"bet_sizes": (2**40,) * 4, "stack": 2**50}, "cannot be counted"),
    ],
)
def test_impossible_rules_are_refused_with_a_reason(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RulesError, match=complaint):
        dataclasses.replace(HULH, **change)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"ante": 0}, "need an ante"),
        ({"small_blind": 1, "big_blind": 2}, "not with blinds"),
        ({"stack": 1}, "leaves nothing to bet after the ante of 1"),
        ({"board_cards": (0, 4)}, "at most three board cards, all on one street"),
        ({"board_cards": (1, 1)}, "at most three board cards, all on one street"),
        ({"ranks": "JQ", "suits": "c"}, "a hand needs 3 cards and the deck has 2"),
    ],
)
def test_impossible_toy_rules_are_refused(change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RulesError, match=complaint):
        dataclasses.replace(LEDUC, **change)


def test_parse_presets_and_changes() -> None:
    assert parse("hulh80") is HULH_80
    assert parse("hulh:stack=80") == dataclasses.replace(HULH_80, name="hulh:stack=80")
    small = parse("fhp:small_blind=1, big_blind=2, bet_sizes=2/4, max_raises=1/2")
    assert (small.big_blind, small.bet_sizes, small.max_raises) == (2, (2, 4), (1, 2))
    assert parse("fhp:ranks=TJQKA,suits=cd").deck == (32, 33, 36, 37, 40, 41, 44, 45, 48, 49)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("holdem", "unknown game 'holdem'; choose from hulh, hulh80"),
        ("hulh:stak=80", "cannot read 'stak=80'"),
        ("hulh:name=x", "cannot read 'name=x'"),
        ("hulh:stack", "cannot read 'stack'"),
        ("hulh:stack=many", "stack=many is not made of whole numbers"),
        ("hulh:stack=80,stack=90", "stack is given twice"),
        ("hulh:stack=10/20", "stack takes one number"),
        ("hulh:stack=5", "cannot pay the big blind"),
    ],
)
def test_unreadable_rules_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(RulesError, match=complaint):
        parse(text)


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
def test_rules_survive_json(rules: Rules) -> None:
    assert Rules.from_dict(json.loads(json.dumps(rules.as_dict()))) == rules


def test_foreign_json_is_refused() -> None:
    with pytest.raises(RulesError, match="unknown rule 'colour'"):
        Rules.from_dict({**HULH.as_dict(), "colour": "red"})
    with pytest.raises(RulesError, match="incomplete rules: small_blind, big_blind"):
        Rules.from_dict({"name": "nothing else"})
    with pytest.raises(RulesError, match="not None"):
        Rules.from_dict(None)  # type: ignore[arg-type]


def test_numpy_numbers_do() -> None:
    numbers: dict[str, Any] = {"stack": np.int64(240), "bet_sizes": np.array([10, 10, 20, 20])}
    given = dataclasses.replace(HULH, **numbers)
    assert given == HULH
    assert type(given.stack) is type(given.bet_sizes[0]) is int


def test_stacks_bind_when_they_end_the_betting_early() -> None:
    assert parse("fhp:max_raises=3/0,stack=40").stack_binds
    assert not parse("fhp:max_raises=3/0,stack=41").stack_binds
    assert parse("fhp:stack=69").stack_binds


@pytest.mark.parametrize(
    ("text", "stack"),
    [
        ("hulh:bet_sizes=20/20/40/40", 470),  # as deep as the betting can go
        ("hulh:max_raises=4/4/4/4", 250),
        ("hulh:small_blind=100,big_blind=200,bet_sizes=200/200/400/400", 4800),
        ("fhp:max_raises=9/0", 101),  # one chip behind, so that the flop is still bet on
        ("hulh:max_raises=1/1/1/1", 240),  # deep enough as it is
        ("hulh:bet_sizes=20/20/40/40,stack=240", 240),  # as given
        ("hulh80:bet_sizes=20/20/40/40", 80),  # a preset whose stacks bind
    ],
)
def test_stacks_that_never_bind_stay_so_unless_given(text: str, stack: int) -> None:
    rules = parse(text)
    assert rules.stack == stack
    assert rules.stack_binds == ("stack=" in text or "hulh80" in text)
    assert (f"stack {stack} (never binding)" in rules.describe()) != rules.stack_binds


def test_one_bet_is_not_plural() -> None:
    assert "at most 1 bet or raise per street" in KUHN.describe()


def test_description_says_what_matters() -> None:
    assert HULH.describe() == (
        "hulh: blinds 5/10, bets 10/10/20/20, at most 3/4/4/4 bets or raises per street, "
        "stack 240 (never binding)"
    )
    assert "ante 1" in KUHN.describe()
    assert "deck JQK × cd" in LEDUC.describe()
