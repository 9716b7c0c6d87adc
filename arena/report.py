"""A tournament's results as text for the terminal, and how every report writes its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from arena.results import PairResult
from arena.standings import Standings
from env.rules import Rules
from env.transcript import counted

MOST_CYCLES = 10  # listed; the rest is counted


def pair_line(pair: PairResult, is_new: bool = True) -> str:
    """`a against b: +12.3 ± 4.5 mbb/g …`, as soon as a pair is finished."""
    kept = "" if is_new else " (from before)"
    return (
        f"{pair.a} against {pair.b}: {pair.mbb:+,.1f} ± {pair.ci95:,.1f} mbb/g, "
        f"{pair.small_bets_per_100:+,.2f} small bets/100, {pair.games_won:g} of "
        f"{pair.games} games, {pair.hands:,} hands{kept}"
    )


def terminal(table: Standings) -> str:
    """Ranking, matrix, transitivity."""
    lines = [*_ranking(table), "", *_matrix(table), "", *transitivity(table)]
    return "\n".join(lines)


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
