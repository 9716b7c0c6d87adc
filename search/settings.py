"""How to search, and the text form of it: `from=turn,iterations=60,gadget=max-margin`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from env.rules import Rules
from search.gadgets import GADGETS, MIXED
from search.variants import VARIANTS

LAST_STREET_ITERATIONS, TWO_STREETS_ITERATIONS, SHORT_GAME_ITERATIONS = 40, 30, 100
MOST_BY_DEFAULT, ITERATIONS_TIMES_HANDS = 1_000, 100_000
MOST_ITERATIONS = 1_000_000
ALTERNATIVES = SELF_PLAY, BEST_RESPONSE = ("self-play", "best-response")
OPTIONS = "from, iterations, gadget, alternatives, variant, ms"


class SearchError(ValueError):
    """Search that cannot be done; the message says why in one line."""


@dataclass(frozen=True)
class SearchSettings:
    """What is solved at the table, and how."""

    first_street: int  # the first one that is searched; all later ones are, too
    iterations: int = 0  # of CFR in each subgame; 0: as many as measured to be worth it
    gadget: str = MIXED
    alternatives: str = SELF_PLAY  # what the blueprint's opponent could have: how it is estimated
    variant: str = "dcfr+"
    milliseconds: int = 0  # for each solve, in place of a number of iterations; 0: iterations count

    def iterations_for(self, rules: Rules, num_hands: int, *, is_last_street: bool) -> int:
        """How many iterations a subgame gets.

        By default few in games of more than two streets, where a turn has many rivers and hands
        are many. The last street of two gets more, and most where there are few hands.
        """
        if self.iterations:
            return self.iterations
        if not is_last_street:
            return TWO_STREETS_ITERATIONS
        if rules.streets > 2:
            return LAST_STREET_ITERATIONS
        return max(SHORT_GAME_ITERATIONS, min(ITERATIONS_TIMES_HANDS // num_hands, MOST_BY_DEFAULT))


def searchable_streets(rules: Rules) -> list[int]:
    """The streets from which search can solve to the end of the game.

    The last one; and the one before if a single card comes between them and there is a board.
    """
    last = rules.streets - 1
    if last == 0 or rules.visible_board[last] == 0:
        return []
    if rules.board_cards[last] == 1 and rules.visible_board[last - 1] > 0:
        return [last - 1, last]
    return [last]


def parse_settings(rules: Rules, text: str) -> SearchSettings:
    """Settings for a game from options such as `from=turn,iterations=60`; '' for the defaults."""
    streets = searchable_streets(rules)
    if not streets:
        raise SearchError(
            f"{rules.name} has no public cards, so there is nothing to search: play the model"
        )
    settings = SearchSettings(first_street=streets[-1])
    parts = [part.strip() for part in text.split(",") if part]
    names = [part.partition("=")[0] for part in parts]
    for i, part in enumerate(parts):
        if names[i] in names[:i]:
            raise SearchError(f"{names[i]} is given twice")
        settings = _with_option(settings, rules, part)
    if settings.iterations and settings.milliseconds:
        raise SearchError("give either iterations or ms, not both")
    return settings


def _with_option(settings: SearchSettings, rules: Rules, part: str) -> SearchSettings:
    name, equals, value = part.partition("=")
    if not equals or not value:
        raise SearchError(f"{part!r} is no option of search; write NAME=VALUE with {OPTIONS}")
    if name == "from":
        return dataclasses.replace(settings, first_street=_street(rules, value))
    if name == "iterations":
        return dataclasses.replace(settings, iterations=_count(name, value))
    if name == "ms":
        return dataclasses.replace(settings, milliseconds=_count(name, value))
    if name == "gadget":
        return dataclasses.replace(settings, gadget=_choice(name, value, GADGETS))
    if name == "alternatives":
        return dataclasses.replace(settings, alternatives=_choice(name, value, ALTERNATIVES))
    if name == "variant":
        return dataclasses.replace(settings, variant=_choice(name, value, tuple(VARIANTS)))
    raise SearchError(f"search has no option {name!r}; it has {OPTIONS}")


def _choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise SearchError(f"{name} is {value!r}; choose from {', '.join(choices)}")
    return value


def _street(rules: Rules, name: str) -> int:
    names = [rules.street_names[street] for street in searchable_streets(rules)]
    if name not in rules.street_names[: rules.streets]:
        raise SearchError(f"{rules.name} has no street {name!r}; search from {' or '.join(names)}")
    if name not in names:
        raise SearchError(
            f"search cannot solve {rules.name} from the {name} to the end; "
            f"search from {' or '.join(names)}"
        )
    return rules.street_names.index(name)


def _count(name: str, value: str) -> int:
    is_number = value.isascii() and value.isdigit() and len(value) <= len(str(MOST_ITERATIONS))
    if not is_number or not 1 <= int(value) <= MOST_ITERATIONS:
        raise SearchError(f"{name} is {value!r}, but must be a number from 1 to {MOST_ITERATIONS}")
    return int(value)
