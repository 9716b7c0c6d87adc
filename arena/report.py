"""A tournament's results as text for the terminal, and how every report writes its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from arena.habits import Habits
from arena.results import PairResult
from arena.standings import Profile, Standings, profile
from env.actions import ACTION_NAMES
from env.rules import Rules
from env.transcript import counted

MOST_CYCLES = 10  # listed; the rest is counted
NOTHING = "–"
# How tables head the habits of `arena.habits` and the shares of all actions.
HABITS = ("VPIP", "PFR", "3-bet", "aggr.", "WTSD", "W$SD")
ACTION_TITLES = tuple(ACTION_NAMES)


def pair_line(pair: PairResult, is_new: bool = True) -> str:
    """`a against b: +12.3 ± 4.5 mbb/g …`, as soon as a pair is finished."""
    kept = "" if is_new else " (from before)"
    return (
        f"{pair.a} against {pair.b}: {pair.mbb:+,.1f} ± {pair.ci95:,.1f} mbb/g, "
        f"{pair.small_bets_per_100:+,.2f} small bets/100, {pair.games_won:g} of "
        f"{pair.games} games, {pair.hands:,} hands{kept}"
    )


def terminal(table: Standings) -> str:
    """Who beats everyone, ranking, matrix, transitivity."""
    first = headline(table)
    lines = [first, ""] if first else []
    lines += [*_ranking(table), "", *_matrix(table), "", *transitivity(table)]
    return "\n".join(lines)


def headline(table: Standings) -> str | None:
    """What comes first: whether somebody beats everyone."""
    name = table.champion
    if name is None:
        return None
    others = len(table.names) - 1
    everyone = table.names[1 - table.names.index(name)] if others == 1 else f"everyone ({others})"
    return f"{name} beats {everyone}, significantly."


def how_they_play(table: Standings, pairs: list[PairResult]) -> str:
    """The figures that players look at, a line for each agent."""
    return "\n".join(_habits(table, pairs))


def _habits(table: Standings, pairs: list[PairResult]) -> Iterator[str]:
    width = max(len("agent"), *map(len, table.names))
    titles = "".join(f"{title:>8}" for title in (*HABITS, *ACTION_TITLES))
    yield "How they play (% but for aggression; docs/tournament.md says what is counted):"
    yield f"{'':>3} {'agent':<{width}}{titles}"
    for rank, place in enumerate(table.ranking, start=1):
        name = table.names[place.agent]
        cells = habit_cells(profile(name, pairs))
        yield f"{rank:>3} {name:<{width}}" + "".join(f"{cell:>8}" for cell in cells)


def habit_cells(one: Profile) -> list[str]:
    """The figures under `HABITS` and `ACTION_TITLES`."""
    habits = one.habits or Habits()
    shares = (habits.vpip, habits.pfr, habits.three_bet)
    ends = (habits.went_to_showdown, one.showdown_win_rate)
    aggression = NOTHING if habits.aggression is None else f"{habits.aggression:.2f}"
    return [*map(_share, shares), aggression, *map(_share, (*ends, *one.all_shares))]


def _share(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f}"


def _ranking(table: Standings) -> Iterator[str]:
    width = max(len("agent"), *map(len, table.names))
    yield "Mean over all opponents, mbb/g, and how many were beaten or lost to significantly:"
    yield f"{'':>3} {'agent':<{width}}{'mbb/g':>12}{'± at most':>12}{'beat':>6}{'lost':>6}"
    for rank, place in enumerate(table.ranking, start=1):
        yield (
            f"{rank:>3} {table.names[place.agent]:<{width}}{place.mbb:>+12,.1f}"
            f"{place.ci95_mbb:>12,.1f}{place.wins:>6}{place.losses:>6}"
        )


def _matrix(table: Standings) -> Iterator[str]:
    order = [place.agent for place in table.ranking]
    width = max(map(len, table.names))
    yield "What the row wins from the column, mbb/g (~ where the 95 % interval contains 0):"
    yield f"{'':>3} {'':<{width}}" + "".join(f"{rank:>9}" for rank in range(1, len(order) + 1))
    for rank, i in enumerate(order, start=1):
        cells = (_cell(table, i, j) for j in order)
        yield f"{rank:>3} {table.names[i]:<{width}}" + "".join(f"{cell:>9}" for cell in cells)


def _cell(table: Standings, i: int, j: int) -> str:
    if i == j:
        return "·"
    is_clear = table.beats[i, j] or table.beats[j, i]
    return f"{'' if is_clear else '~'}{table.mbb[i, j]:+,.0f}"


def transitivity(table: Standings) -> Iterator[str]:
    """Lists cycles and results that contradict the ranking."""
    cycles, upsets = table.cycles, table.upsets
    if not cycles:
        yield "No cycles: no three agents beat one another significantly in a ring."
    else:
        yield f"{counted(len(cycles), 'cycle')} of significant results:"
        yield from (f"  {a} beats {b} beats {c} beats {a}" for a, b, c in cycles[:MOST_CYCLES])
        if len(cycles) > MOST_CYCLES:
            yield f"  … and {len(cycles) - MOST_CYCLES} more"
    if not upsets:
        yield "Every significant result agrees with the ranking."
    else:
        yield f"{counted(len(upsets), 'significant result')} against the ranking:"
        yield from (f"  {winner} beats the higher {loser}" for winner, loser in upsets)


def signed(value: float, digits: int) -> str:
    """With a plus or a minus, which is not a hyphen; what is rounded to 0 has no sign."""
    text = f"{value:+,.{digits}f}"
    return text.replace("-", "−") if text.strip("+-0.") else text[1:]


def pot_unit(rules: Rules) -> str:
    """What `Rules.big_blind_chips` are called in a game, as pots are measured in them."""
    return "big blinds" if rules.is_holdem else "antes"
