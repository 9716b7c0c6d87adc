"""A tournament as one HTML file that holds its tables and pictures and loads nothing else."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from arena.charts import Chart
from arena.folder import Results
from arena.report import (
    ACTION_TITLES,
    HABITS,
    NOTHING,
    habit_cells,
    headline,
    pot_unit,
    signed,
    transitivity,
)
from arena.standings import Profile, Standings, profile
from env.actions import ACTION_NAMES
from env.rules import Rules
from models.storage import whole_file

PAGE = "report.html"
HABIT_CAPTION = (
    "Percent, but for aggression. VPIP: hands in which it called or raised before the flop. PFR: "
    "hands in which it raised there. 3-bet: how often it raised again when facing a first raise "
    "there. Aggr.: bets and raises for every call, after the flop. WTSD: of the hands that saw the "
    "flop, those that went to a showdown. W$SD: showdowns won, a split pot being half a win. Fold, "
    "call (or check) and raise (or bet): shares of all its decisions."
)
STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --quiet: #505050;
  --line: #d5d5d5; --strong: #606060; --win: #d6e6f4; --loss: #fbdcd0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #16181b; --quiet: #a8adb3; --line: #3a3f45;
    --strong: #8a9097; --win: #17405f; --loss: #6b2f1c; }
  /* Light pictures become dark ones; turning the hues back keeps blue blue and red red. */
  figure img { filter: invert(0.91) hue-rotate(180deg); }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 64rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
.first { font-size: 1.15rem; font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
.note, figcaption { color: var(--quiet); font-size: .875rem; margin: .8rem 0 .4rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; }
th:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); }
thead th { border-bottom: 2px solid var(--strong); vertical-align: bottom; white-space: normal;
  overflow-wrap: break-word; max-width: 11rem; }
tbody th { font-weight: 500; }
.win { background: var(--win); } .loss { background: var(--loss); }
figure { margin: 1rem 0; } img { max-width: 100%; height: auto; }
code { overflow-wrap: anywhere; font-size: .875rem; }
ul { padding-left: 1.2rem; } .inset { margin-left: 1.2rem; }
dt { font-weight: 600; } dd { margin: 0 0 .5rem; }
"""


def write(rules: Rules, table: Standings, results: Results, charts: list[Chart]) -> Path:
    """Write the page and return where it is."""
    file = results.folder / PAGE
    whole_file(file, ("\n".join(_page(rules, table, results, charts)) + "\n").encode())
    return file


def _page(rules: Rules, table: Standings, results: Results, charts: list[Chart]) -> Iterator[str]:
    title = f"Tournament: {len(table.names)} agents, {rules.name}"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>"
    yield f"<h1>{escape(title)}</h1>"
    if first := headline(table):
        yield f'<p class="first">{escape(first)}</p>'
    yield f"<p>{escape(rules.describe())}.</p>"
    yield "<h2>Ranking</h2>"
    yield from _ranking(table)
    yield "<h2>Is it transitive?</h2>"
    yield from _transitivity(table)
    yield "<h2>Who wins from whom</h2>"
    yield from _matrix(table)
    for chart in charts:
        yield f"<h2>{escape(chart.title)}</h2>"
        yield from _picture(chart)
    yield "<h2>Every pair</h2>"
    yield from _pairs(results)
    yield "<h2>How they play</h2>"
    yield from _profiles(rules, table, results)
    yield "<h2>How this was measured</h2>"
    yield from _about(results)
    yield "</main>\n</body>\n</html>"


def _table(meaning: str, columns: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """What it means, then the table, which a narrow screen scrolls by itself.

    The first cell of a row names it. Cells are HTML; one that is a whole <td> is left alone.
    """
    label = f"t{zlib.crc32(meaning.encode()):08x}"
    yield f'<p class="note" id="{label}">{escape(meaning)}</p>'
    yield f'<div class="wide" tabindex="0" role="region" aria-labelledby="{label}">'
    yield f'<table aria-labelledby="{label}">\n<thead><tr>'
    yield "".join(f'<th scope="col">{column}</th>' for column in columns)
    yield "</tr></thead>\n<tbody>"
    for name, *cells in rows:
        rest = "".join(cell if cell.startswith("<td") else f"<td>{cell}</td>" for cell in cells)
        yield f'<tr><th scope="row">{name}</th>{rest}</tr>'
    yield "</tbody>\n</table>\n</div>"


def _ranking(table: Standings) -> Iterator[str]:
    rows = (
        [
            f"{rank}. {escape(table.names[place.agent])}",
            signed(place.mbb, 1),
            f"{place.ci95_mbb:,.1f}",
            str(place.wins),
            str(place.losses),
        ]
        for rank, place in enumerate(table.ranking, start=1)
    )
    caption = (
        "Mean winrate over all opponents, mbb/g. As all pairs play the same deals, the 95 % "
        "interval of the mean is given by its upper bound. Beat and lost to: opponents with a "
        "significant result."
    )
    yield from _table(caption, ["agent", "mbb/g", "± at most", "beat", "lost to"], rows)


def _transitivity(table: Standings) -> Iterator[str]:
    """A list of the lines; indented ones belong to the line above them."""
    yield "<ul>"
    for line in transitivity(table):
        inset = ' class="inset"' if line.startswith(" ") else ""
        yield f"<li{inset}>{escape(line.strip())}</li>"
    yield "</ul>"


def _matrix(table: Standings) -> Iterator[str]:
    order = [place.agent for place in table.ranking]

    def cell(i: int, j: int) -> str:
        if i == j:
            return NOTHING
        outcome = "win" if table.beats[i, j] else "loss" if table.beats[j, i] else ""
        text = f"{signed(table.mbb[i, j], 1)} ± {table.ci95_mbb[i, j]:,.1f}"
        return f'<td class="{outcome}">{text}</td>' if outcome else text

    rows = ([escape(table.names[i]), *(cell(i, j) for j in order)] for i in order)
    caption = "What the row wins from the column, mbb/g; coloured where it is significant."
    columns = ["agent", *(escape(table.names[i]) for i in order)]
    yield from _table(caption, columns, rows)


def _picture(chart: Chart) -> Iterator[str]:
    content = base64.b64encode(chart.file.read_bytes()).decode()
    meaning = escape(chart.meaning)
    yield f'<figure><img alt="{meaning}" src="data:image/png;base64,{content}">'
    yield f"<figcaption>{meaning}</figcaption></figure>"


def _pairs(results: Results) -> Iterator[str]:
    rows = (
        [
            f"{escape(pair.a)} against {escape(pair.b)}",
            f"{signed(pair.mbb, 1)} ± {pair.ci95:,.1f}",
            signed(pair.small_bets_per_100, 2),
            f"{pair.games_won:g} of {pair.games}",
            f"{pair.hands:,}",
            _percent(pair.showdown_rate),
        ]
        for pair in results.pairs
    )
    columns = ["pair", "mbb/g", "small bets/100", "games", "hands", "showdowns"]
    yield from _table("From the first one's point of view.", columns, rows)


def _profiles(rules: Rules, table: Standings, results: Results) -> Iterator[str]:
    names = [table.names[place.agent] for place in table.ranking]
    profiles = {name: profile(name, results.pairs) for name in names}
    columns = ["agent", *(escape(street) for street in rules.street_names)]
    rows = ([escape(name), *_mixes(one)] for name, one in profiles.items())
    caption = f"Share of {', '.join(ACTION_NAMES)} in its decisions, percent, over all opponents."
    yield from _table(caption, columns, rows)
    yield from _table(
        HABIT_CAPTION,
        ["agent", *HABITS, *ACTION_TITLES],
        ([escape(name), *habit_cells(one)] for name, one in profiles.items()),
    )
    columns = ["agent", "pot won", "pot lost", "showdowns", "showdowns won", "won by a fold"]
    yield from _table(
        f"Average pots in {pot_unit(rules)}; showdowns and folds won as shares of all hands, "
        "showdowns won as a share of showdowns.",
        columns,
        (
            [
                escape(name),
                _units(one.pot_won_chips, rules),
                _units(one.pot_lost_chips, rules),
                _percent(one.showdown_rate),
                _percent(one.showdown_win_rate),
                _percent(one.fold_win_rate),
            ]
            for name, one in profiles.items()
        ),
    )


def _mixes(one: Profile) -> Iterator[str]:
    for shares in one.shares.values():
        known = [f"{100 * share:.0f}" for share in shares if share is not None]
        yield " / ".join(known) or NOTHING


def _about(results: Results) -> Iterator[str]:
    header = results.header
    versions = ", ".join(f"{name} {number}" for name, number in header.versions.items())
    settings = header.schedule.to_json() | {"seed": header.schedule.seed}
    for term, text in (
        ("Method", header.note),
        ("Settings", ", ".join(f"{key.replace('_', ' ')} {n}" for key, n in settings.items())),
        ("Started", header.started),
        ("Versions", versions),
    ):
        yield f"<dl><dt>{term}</dt><dd>{escape(text)}</dd></dl>"
    yield f"<dl><dt>Command</dt><dd><code>{escape(header.command)}</code></dd></dl>"


def _percent(share: float | None) -> str:
    return NOTHING if share is None else f"{100 * share:.1f} %"


def _units(chips: float | None, rules: Rules) -> str:
    return NOTHING if chips is None else f"{chips / rules.big_blind_chips:.1f}"
