"""The options of search, and what cannot be searched: one clear line each."""

from __future__ import annotations

import pytest

from env.rules import parse_rules
from search.gadgets import GADGETS
from search.settings import (
    LAST_STREET_ITERATIONS,
    MOST_BY_DEFAULT,
    MOST_ITERATIONS,
    TWO_STREETS_ITERATIONS,
    SearchError,
    SearchSettings,
    parse_settings,
    searchable_streets,
)
from search.variants import VARIANTS, schedule


@pytest.mark.parametrize(
    ("text", "streets"),
    [
        ("kuhn", []),
        ("leduc", [1]),
        ("leduc:board_cards=1/0", [1]),
        ("leduc:board_cards=0/2", [1]),
        ("fhp", [1]),
        ("fhp:streets=1,bet_sizes=10,max_raises=2", []),
        ("hulh:streets=3,bet_sizes=10/10/20,max_raises=3/3/3", [1, 2]),
        ("hulh", [2, 3]),
        ("hulh80", [2, 3]),
    ],
)
def test_streets_that_can_be_searched(text: str, streets: list[int]) -> None:
    assert searchable_streets(parse_rules(text)) == streets


def test_options() -> None:
    rules = parse_rules("hulh")
    assert parse_settings(rules, "") == SearchSettings(first_street=3)
    text = " from=turn, iterations=7,gadget=max-margin,alternatives=best-response,variant=pcfr+"
    expected = SearchSettings(2, 7, "max-margin", "best-response", "pcfr+")
    assert parse_settings(rules, text) == expected
    assert parse_settings(rules, "ms=250").milliseconds == 250
    assert parse_settings(rules, f"iterations={MOST_ITERATIONS}").iterations == MOST_ITERATIONS
    assert parse_settings(parse_rules("leduc"), "from=second round").first_street == 1
    for gadget in GADGETS:
        assert parse_settings(rules, f"gadget={gadget}").gadget == gadget


@pytest.mark.parametrize(
    ("game", "options", "complaint"),
    [
        ("kuhn", "", "kuhn has no public cards"),
        ("kuhn", "iterations=5", "kuhn has no public cards"),
        ("hulh", "from=flop", "cannot solve hulh from the flop to the end; .* turn or river"),
        ("hulh", "from=pre-flop", "cannot solve hulh from the pre-flop"),
        ("fhp", "from=turn", "fhp has no street 'turn'; search from flop"),
        ("leduc", "from=first round", "cannot solve leduc from the first round"),
        ("leduc", "from=river", "leduc has no street 'river'; search from second round"),
        ("hulh", "iterations=0", "iterations is '0', but must be a number from 1 to 1000000"),
        ("hulh", "iterations=-3", "iterations is '-3'"),
        ("hulh", "iterations=1.5", "iterations is '1.5'"),
        ("hulh", "iterations=²", "iterations is '²'"),
        ("hulh", "iterations=1000001", "iterations is '1000001'"),
        ("hulh", f"iterations={'9' * 5000}", "iterations is '999"),
        ("hulh", "ms=0", "ms is '0'"),
        ("hulh", "ms=-1", "ms is '-1'"),
        ("hulh", "iterations=5,ms=5", "either iterations or ms, not both"),
        ("hulh", "iterations=5,iterations=6", "iterations is given twice"),
        ("hulh", "speed=9", "no option 'speed'; it has from, iterations, gadget"),
        ("hulh", "iterations", "'iterations' is no option .* NAME=VALUE"),
        ("hulh", "iterations=", "'iterations=' is no option"),
        ("hulh", "=5", "no option ''"),
        ("hulh", "gadget=best", "gadget is 'best'; choose from unsafe, resolve, max-margin"),
        ("hulh", "alternatives=none", "choose from self-play, best-response"),
        ("hulh", "variant=cfr", r"choose from cfr\+, dcfr, pcfr\+, dcfr\+"),
    ],
)
def test_impossible_search_is_refused_in_one_line(game: str, options: str, complaint: str) -> None:
    with pytest.raises(SearchError, match=complaint) as error:
        parse_settings(parse_rules(game), options)
    assert "\n" not in str(error.value)


def test_small_subgames_get_more_iterations() -> None:
    hulh, fhp, leduc = (parse_rules(name) for name in ("hulh", "fhp", "leduc"))
    settings = SearchSettings(first_street=3)
    assert settings.iterations_for(hulh, 1081, is_last_street=True) == LAST_STREET_ITERATIONS
    assert settings.iterations_for(hulh, 1128, is_last_street=False) == TWO_STREETS_ITERATIONS
    assert settings.iterations_for(fhp, 1176, is_last_street=True) > LAST_STREET_ITERATIONS
    assert settings.iterations_for(leduc, 5, is_last_street=True) == MOST_BY_DEFAULT
    asked = SearchSettings(first_street=3, iterations=9)
    assert asked.iterations_for(hulh, 1081, is_last_street=True) == 9
    assert asked.iterations_for(leduc, 5, is_last_street=True) == 9


@pytest.mark.parametrize("name", VARIANTS)
def test_schedules_go_on_where_they_stopped(name: str) -> None:
    whole = schedule(VARIANTS[name], 1, 10)
    parts = [schedule(VARIANTS[name], 1, 4), schedule(VARIANTS[name], 5, 6)]
    assert [row.tolist() for part in parts for row in part] == whole.tolist()


def test_schedules_are_those_of_the_papers() -> None:
    def steps(name: str) -> list[list[float]]:
        return schedule(VARIANTS[name], 1, 3).tolist()

    assert steps("cfr+") == [[1, 0, 0, t] for t in (1, 2, 3)]
    kept = [t * t / (t * t + 1) for t in (1, 2, 3)]
    floored = [[share, 0, 0, t**4] for t, share in enumerate(kept, start=1)]
    assert steps("dcfr+") == floored
    assert steps("pcfr+") == [[1, 0, 1, t * t] for t in (1, 2, 3)]
    discounts = [t**1.5 / (t**1.5 + 1) for t in (1, 2, 3)]
    expected = [[discount, 0.5, 0, t * t] for t, discount in enumerate(discounts, start=1)]
    for found, row in zip(steps("dcfr"), expected, strict=True):
        assert found == pytest.approx(row)
