"""Pictures of a tournament, as PNG: matrix, games won, action mix, pots, strength by iteration.

Colours are of Okabe and Ito's set and of diverging maps that colour-blind readers can tell apart;
numbers stand beside colours wherever there is room.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import AsinhNorm
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from arena.folder import Results
from arena.report import pot_unit, signed
from arena.results import seen_by
from arena.standings import Standings, profile
from env.actions import NUM_ACTIONS
from env.rules import Rules

BLUE, ORANGE, GREY = "#0072B2", "#E69F00", "#999999"
ACTION_COLOURS = (GREY, "#56B4E9", "#D55E00")  # fold, call, raise
ACTION_LABELS = ("fold", "call or check", "bet or raise")
LINE_COLOURS = (BLUE, "#D55E00", "#009E73", "#CC79A7", ORANGE, "#56B4E9", "#000000")
LINE_STYLES = ("-", "--", ":")  # once the colours are used up
WINNINGS_POINTS = 201
LONGEST_NAME = 26  # letters; longer names lose their middle


@dataclass(frozen=True)
class Chart:
    """A picture and what it shows, for those who do not see it as well."""

    file: Path
    title: str
    meaning: str


def draw_all(rules: Rules, table: Standings, results: Results, folder: Path) -> list[Chart]:
    """Every chart that this tournament has something to show in."""
    charts = [
        Chart(folder / "matrix.png", "Winrates", "What the row wins from the column, mbb/g."),
        Chart(
            folder / "games.png",
            "Games won",
            "Of the games of each pair, how many each side won; ties are half for both.",
        ),
        Chart(
            folder / "actions.png",
            "Action mix",
            "How often each agent folded, called or checked, and bet or raised, by street.",
        ),
        Chart(folder / "pots.png", "Pots", "The average pot in the hands each agent won and lost."),
    ]
    _matrix(table, charts[0].file)
    _games(results, charts[1].file)
    _actions(rules, table, results, charts[2].file)
    _pots(rules, table, results, charts[3].file)
    if all(pair.curve for pair in results.pairs):
        meaning = "What each agent had won from all opponents together, as the hands went by."
        charts.append(Chart(folder / "winnings.png", "Winnings", meaning))
        _winnings(rules, table, results, charts[-1].file)
    iterations = {agent.name: agent.iteration for agent in results.header.agents}
    if len(set(iterations.values()) - {None}) > 1:
        meaning = (
            "Mean winrate over all opponents here; 95 % intervals are at most as wide as shown."
        )
        charts.append(Chart(folder / "strength.png", "Strength by training iteration", meaning))
        _strength(table, iterations, charts[-1].file)
    return charts


def lineage(name: str) -> str:
    """What the checkpoints of one run have in common: the run's part of their names."""
    return name.rpartition("/")[0] or name


def _figure(width: float, height: float) -> Figure:
    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _short(name: str) -> str:
    """A name of bearable length, in which no dollar sign begins a formula."""
    half = (LONGEST_NAME - 1) // 2
    short = name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-half:]}"
    return short.replace("$", r"\$")


def _matrix(table: Standings, file: Path) -> None:
    order = [place.agent for place in table.ranking]
    names = [_short(table.names[i]) for i in order]
    won = table.mbb[np.ix_(order, order)]
    limit = max(float(np.nanmax(np.abs(won))), 1.0)
    figure = _figure(3.6 + 0.75 * len(names), 2.4 + 0.6 * len(names))
    axes = figure.add_subplot()
    # Bots lose hundreds where models differ by tens: linear near 0, logarithmic far from it.
    norm = AsinhNorm(linear_width=limit / 20, vmin=-limit, vmax=limit)
    image = axes.imshow(won, cmap="RdBu", norm=norm, aspect="auto")
    axes.set_facecolor("#dddddd")  # of the diagonal, where there is nothing
    ticks = np.arange(len(names))
    axes.set_xticks(ticks, names, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(ticks, names)
    axes.set_title("what the row wins from the column, mbb/g")
    for i, j in np.argwhere(~np.isnan(won)):
        colour = "white" if abs(float(norm(won[i, j])) - 0.5) > 0.27 else "black"
        axes.text(j, i, signed(won[i, j], 0), ha="center", va="center", size=8.5, color=colour)
    bar = figure.colorbar(image, ax=axes, ticks=_nice_ticks(limit), pad=0.02)
    bar.ax.yaxis.set_major_formatter(lambda value, place: signed(value, 0))
    figure.savefig(file, format="png")


def _nice_ticks(limit: float) -> list[float]:
    """0 and some powers of ten on both sides, as far as they go."""
    top = 10.0 ** np.floor(np.log10(limit))
    values = [value for value in (top / 10, top, limit) if value == limit or value < 0.7 * limit]
    return [-value for value in reversed(values)] + [0.0, *values]


def _games(results: Results, file: Path) -> None:
    """A bar per pair, A's part from the left and B's from the right."""
    pairs = results.pairs
    figure = _figure(9, 1.6 + 0.3 * len(pairs))
    axes = figure.add_subplot()
    rows = np.arange(len(pairs))
    shares = np.array([pair.games_won / pair.games for pair in pairs])
    axes.barh(rows, shares, color=BLUE, height=0.78)
    axes.barh(rows, 1 - shares, left=shares, color=ORANGE, height=0.78)
    axes.axvline(0.5, color="black", linewidth=0.8, linestyle=":")
    axes.set_yticks(rows, [f"{_short(pair.a)}  {pair.games_won:g}" for pair in pairs])
    axes.set(xlim=(0, 1), ylim=(len(pairs) - 0.5, -0.5))
    right = axes.twinx()
    right.set_ylim(axes.get_ylim())
    lost = [pair.games - pair.games_won for pair in pairs]
    right.set_yticks(
        rows, [f"{games:g}  {_short(pair.b)}" for games, pair in zip(lost, pairs, strict=True)]
    )
    axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    first = pairs[0]
    axes.set_title(f"games won, of {first.games} of {first.hands_per_game:,} hands each")
    figure.savefig(file, format="png")


def _actions(rules: Rules, table: Standings, results: Results, file: Path) -> None:
    names = [table.names[place.agent] for place in table.ranking]
    profiles = [profile(name, results.pairs) for name in names]
    figure = _figure(3.2 + 2.2 * rules.streets, 1.7 + 0.34 * len(names))
    panels: list[Axes] = list(figure.subplots(1, rules.streets, sharey=True, squeeze=False)[0])
    rows = np.arange(len(names))
    for panel, street in zip(panels, rules.street_names, strict=True):
        shares = np.array([one.shares[street] for one in profiles], float)  # nan: never came there
        left = np.zeros(len(names))
        for action, colour in enumerate(ACTION_COLOURS):
            width = np.nan_to_num(shares[:, action])
            label = ACTION_LABELS[action] if panel is panels[0] else None
            panel.barh(rows, width, left=left, color=colour, height=0.78, label=label)
            left += width
        panel.set(title=street, xlim=(0, 1), ylim=(len(names) - 0.5, -0.5))
        panel.set_xticks((0.25, 0.5, 0.75))
        panel.xaxis.set_major_formatter(PercentFormatter(1.0))
    panels[0].set_yticks(rows, [_short(name) for name in names])
    figure.legend(loc="outside lower center", ncols=NUM_ACTIONS, frameon=False)
    figure.savefig(file, format="png")


def _pots(rules: Rules, table: Standings, results: Results, file: Path) -> None:
    names = [table.names[place.agent] for place in table.ranking]
    profiles = [profile(name, results.pairs) for name in names]
    figure = _figure(9, 1.7 + 0.5 * len(names))
    axes = figure.add_subplot()
    rows = np.arange(len(names))
    for shift, colour, label, chips in (
        (-0.2, BLUE, "won", [one.pot_won_chips for one in profiles]),
        (0.2, ORANGE, "lost", [one.pot_lost_chips for one in profiles]),
    ):
        sizes = np.nan_to_num(np.array(chips, float)) / rules.big_blind_chips
        bars = axes.barh(rows + shift, sizes, height=0.38, color=colour, label=label)
        axes.bar_label(bars, fmt="{:.1f}", padding=3, size=8.5)
    axes.set_yticks(rows, [_short(name) for name in names])
    axes.set(xlabel=f"average pot, {pot_unit(rules)}", ylim=(len(names) - 0.5, -0.5))
    axes.margins(x=0.08)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    figure.savefig(file, format="png")


def _winnings(rules: Rules, table: Standings, results: Results, file: Path) -> None:
    """A line for each agent; where pairs are of different lengths it ends with the shortest."""
    figure = _figure(9, 4.6)
    axes = figure.add_subplot()
    last = min(pair.curve[-1][0] for pair in results.pairs)
    hands = np.linspace(0, last, WINNINGS_POINTS)
    for number, place in enumerate(table.ranking):
        name, total = table.names[place.agent], np.zeros(len(hands))
        for pair in seen_by(name, results.pairs):
            at, chips = np.array([(0, 0), *pair.curve], float).T
            total += np.interp(hands, at, chips)
        colour = LINE_COLOURS[number % len(LINE_COLOURS)]
        style = LINE_STYLES[number // len(LINE_COLOURS) % len(LINE_STYLES)]
        won = total / rules.big_blind_chips
        axes.plot(hands, won, style, color=colour, label=_short(name))
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="hands against each opponent", ylabel=f"won so far, {pot_unit(rules)}")
    axes.xaxis.set_major_formatter(lambda value, place: f"{value:,.0f}")
    axes.yaxis.set_major_formatter(lambda value, place: signed(value, 0))
    axes.margins(x=0)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False)
    figure.savefig(file, format="png")


def _strength(table: Standings, iterations: dict[str, int | None], file: Path) -> None:
    figure = _figure(9, 4.6)
    axes = figure.add_subplot()
    points: dict[str, list[tuple[int, float, float]]] = {}
    for place in table.ranking:
        name = table.names[place.agent]
        if (iteration := iterations[name]) is not None:
            point = (iteration, place.mbb, place.ci95_mbb)
            points.setdefault(lineage(name), []).append(point)
    for number, (run, found) in enumerate(sorted(points.items())):
        steps, means, intervals = np.array(sorted(found)).T
        colour = LINE_COLOURS[number % len(LINE_COLOURS)]
        axes.errorbar(
            steps, means, yerr=intervals, marker="o", capsize=3, color=colour, label=_short(run)
        )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="CFR iteration", ylabel="mean winrate, mbb/g")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(file, format="png")
