"""The README.md of a run: what was trained, how good it is as far as measured, how to ask it.

Everything comes from the model.json files (and, where a run has them, its latest state and logs),
so the same files always give the same card.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deep_cfr.config import Config, ConfigError
from deep_cfr.layout import models_at, read_info
from deep_cfr.linear_part import has_linear_part
from deep_cfr.memory import ROW
from deep_cfr.storage import StorageError, known_json, whole_file
from env.actions import CALL
from env.cards import cards_text
from env.compiler import compile
from env.emulator import make_emulator
from env.rules import Rules, RulesError

CARD_FILE = "README.md"
ROOT = Path(__file__).resolve().parent.parent  # of the project: where commands are typed
NOTHING = "—"
BY_TRAINING: tuple[tuple[str, str, dict[str, Any]], ...] = (  # metric, method, entry
    ("exploitability_mbb", "exact", {"kind": "exact"}),
    (
        "exploitability_estimate_mbb",
        "sampled boards",
        {"kind": "estimate", "note": "too high on average"},
    ),
)


@dataclass(frozen=True)
class _Saved:
    """One model of the run."""

    info: dict[str, Any]
    rules: Rules
    config: Config

    @property
    def iteration(self) -> int:
        return int(self.info["iteration"])

    @property
    def evaluations(self) -> list[dict[str, Any]]:
        """Everything measured, also what training itself notes; recorded entries say more."""
        metrics, noted = self.info["metrics"], {}
        for name, method, entry in BY_TRAINING:
            if name in metrics:
                noted[method] = entry | {"exploitability_mbb": metrics[name]}
        entries: dict[str, dict[str, Any]] = noted | self.info.get("evaluations", {})
        return [{"method": method} | entry for method, entry in entries.items()]

    @property
    def matches(self) -> dict[str, dict[str, Any]]:
        """Results by opponent."""
        found: dict[str, dict[str, Any]] = self.info.get("head_to_head", {})
        return found


def write_card(run: Path) -> Path:
    """Write the card of a run, or of a folder that is itself a model; the file written."""
    models = [model for folder in models_at(run)[::-1] if (model := _read(folder))]  # newest first
    if not models:
        raise StorageError(f"{run} holds no model to describe")
    card = run / CARD_FILE
    whole_file(card, ("\n".join(_lines(run, models)) + "\n").encode())
    return card


def _read(folder: Path) -> _Saved | None:
    """A model's description; None where there is none that can be read."""
    try:
        info = read_info(folder)
        saved = _Saved(info, Rules.from_dict(info["rules"]), Config(**info["config"]))
        known = {"iteration", "nodes_touched", "parameters", "metrics", "versions"}
    except (OSError, ValueError, KeyError, TypeError, RulesError, ConfigError):
        return None
    return saved if known <= info.keys() else None


def _lines(run: Path, models: list[_Saved]) -> Iterator[str]:
    newest = models[0]
    yield f"# Deep CFR for {newest.rules.name}, {newest.iteration} iterations"
    yield ""
    yield (
        "The average strategy of Deep CFR ([Brown et al. 2019](https://arxiv.org/abs/1811.00164)) "
        "with Linear CFR weights."
    )
    yield ""
    yield _headline(run, models)
    for title, section in (
        ("The game", _game(newest)),
        ("Checkpoints", _checkpoints(run, models)),
        ("Head to head", _head_to_head(run, models)),
        ("Training", _training(run, newest)),
        ("Asking it", _usage(run, newest.rules)),
        ("Versions", _versions(newest)),
    ):
        yield from ("", f"## {title}", "")
        yield from section


def _headline(run: Path, models: list[_Saved]) -> str:
    for model in models:
        if model.evaluations:
            found = "; ".join(
                f"{_mbb(entry['exploitability_mbb'], entry.get('interval_mbb'))} mbb/g "
                f"({_cell(', '.join(dict.fromkeys((entry['method'], entry['kind']))))})"
                for entry in model.evaluations
            )
            return f"**Exploitability after iteration {model.iteration}:** {found}."
    return f"**Exploitability:** not measured yet; `{_measuring(run)}` does it."


def _game(model: _Saved) -> Iterator[str]:
    unit = "big blind" if model.rules.is_holdem else "ante"
    yield f"{model.rules.describe()}."
    yield ""
    yield f"Figures are in mbb/g: thousandths of the {unit} per hand."


def _checkpoints(run: Path, models: list[_Saved]) -> Iterator[str]:
    yield from _table_head(
        "iteration >", "nodes touched >", "method", "kind", "exploitability >",
        "best response in seat 0 >", "in seat 1 >", "hands >",
    )  # fmt: skip
    for model in models:
        start = (str(model.iteration), f"{model.info['nodes_touched']:,}")
        if not model.evaluations:
            yield _row(*start, *[NOTHING] * 6)
        for entry in model.evaluations:
            kind = "; ".join(filter(None, (entry["kind"], entry.get("note"))))
            responses = [_mbb(value) for value in entry.get("br_mbb", ())] or [NOTHING] * 2
            yield _row(
                *start, entry["method"], kind,
                _mbb(entry["exploitability_mbb"], entry.get("interval_mbb")), *responses,
                f"{entry['hands']:,}" if entry.get("hands") else NOTHING,
            )  # fmt: skip
    yield ""
    if any(model.evaluations for model in models):
        yield (
            "What best responses win per hand, the mean over both seats: 0 for an equilibrium. "
            "± is a 95 % interval. A lower bound says how much can be won at least; the "
            "exploitability itself may be far above it."
        )
    else:
        yield f"Nothing measured yet: `{_measuring(run)}`"


def _head_to_head(run: Path, models: list[_Saved]) -> Iterator[str]:
    if not any(model.matches for model in models):
        yield f"Nothing measured yet: `{_measuring(run)}`"
        return
    yield from _table_head("iteration >", "opponent", "wins, mbb/g >", "hands >")
    for model in models:
        for opponent, result in model.matches.items():
            won = _mbb(result["mbb"], result["ci95"], signed=True)
            yield _row(str(model.iteration), opponent, won, f"{result['hands']:,}")
    yield ""
    yield "What this model wins from the opponent; ± is a 95 % interval."


def _training(run: Path, model: _Saved) -> Iterator[str]:
    config, t = model.config, model.iteration
    width = f" of width {config.width}" if config.network == "paper" else ""
    grown = f" + {config.updates_growth:,} · iteration" if config.updates_growth else ""
    rows = f"up to {config.advantage_memory:,} rows for each player's advantages"
    yield from _table_head("what", "how much")
    yield _row("iterations", f"{t:,}")
    hands = "all" if not config.board_hands else f"{config.board_hands:,}"
    boards = f"; drawn from {hands} hands on each of {config.boards:,} boards"
    yield _row(
        "traversals",
        f"{config.traversals:,} per player and iteration, {2 * config.traversals * t:,} in all"
        + (boards if config.boards else ""),
    )
    yield _row("nodes touched", f"{model.info['nodes_touched']:,}")
    yield _row(
        "memories",
        f"{rows}, {config.strategy_memory:,} for strategies, {ROW.itemsize} bytes each",
    )
    yield _row(
        "network",
        f"{config.network}{width}, {model.info['parameters']:,} parameters, {config.precision}",
    )
    solved = has_linear_part(config, model.rules)
    if solved:
        often = f"{config.rounds:,} times in every" if config.rounds > 1 else "in every"
        yield _row("linear part", f"solved {often} iteration, from all samples so far")
    every = (
        f", every {config.refit_every:,} iterations" if solved and config.refit_every > 1 else ""
    )
    yield _row(
        "advantage fits",
        f"{config.updates:,}{grown} updates of {config.batch_size:,} samples{every}, each from "
        + ("the last one's weights" if config.warm_start else "scratch"),
    )
    yield _row(
        "strategy fit",
        f"{config.strategy_updates:,} updates of {config.strategy_batch_size:,} samples",
    )
    yield _row("seed", str(config.seed))
    known = model.info.get("origin") or _origin(run, model.iteration)
    if "wall_s" in known:
        yield _row("wall time", f"{known['wall_s'] / 60:,.1f} minutes")
    if "command" in known:
        yield from ("", "Started with", "", "```", known["command"], "```")
    if "resumed_with" in known:
        yield from ("", "and resumed, last with", "", "```", known["resumed_with"], "```")


def _usage(run: Path, rules: Rules) -> Iterator[str]:
    hand, board, line = _example(rules)
    yield "From the project's root:"
    yield ""
    yield "```python"
    yield "from deep_cfr.model import load"
    yield ""
    yield f"model = load({json.dumps(_shown(run), ensure_ascii=False)})"
    yield f'print(model.ask("{hand}"))  # at the start of the hand'
    yield f'print(model.explain("{hand}", board="{board}", line="{line}"))'
    yield "```"
    yield ""
    yield (
        "A line is a letter per action, f (fold), c (call or check) and r (raise or bet), with a "
        "slash after each street."
    )


def _versions(model: _Saved) -> Iterator[str]:
    yield ", ".join(f"{name} {number}" for name, number in model.info["versions"].items()) + "."


def _example(rules: Rules) -> tuple[str, str, str]:
    """A hand, a board and a line that exist in this game: calls up to the second street."""
    tree, deck = compile(make_emulator(rules)), rules.deck
    apart = min(len(rules.suits) + 2, len(deck))  # another rank and suit, where there is one
    hole = [deck[-1], deck[-apart]][: rules.hole_cards]
    node = 0
    while tree.street[node] == 0 and tree.is_decision[child := int(tree.children[node, CALL])]:
        node = child
    needed = rules.visible_board[int(tree.street[node])]
    left = [card for card in deck if card not in hole]
    step = len(left) // (needed + 1) | 1  # odd, so that suits differ
    return cards_text(hole), cards_text(left[::step][:needed]), tree.text(node)


def origin(model: Path) -> dict[str, Any]:
    """Where a model of a run comes from: `command` and `wall_s`, as far as they are known."""
    info = read_info(model)
    known: dict[str, Any] | None = info.get("origin")
    return known or _origin(model.parent, int(info["iteration"]))


def _origin(run: Path, iteration: int) -> dict[str, Any]:
    """What the run was started or resumed with, and how long it had taken by then."""
    extra = known_json(run / "latest" / "state.json").get("extra", {})
    logs = Path(extra.get("logs", run.parent.parent / "runs" / run.name))
    config = known_json(logs / "config.json")
    wall_s = next((row["wall_s"] for row in extra.get("rows", []) if row["t"] == iteration), None)
    found = {name: config.get(name) for name in ("command", "resumed_with")} | {"wall_s": wall_s}
    return {name: value for name, value in found.items() if value is not None}


def _measuring(run: Path) -> str:
    return f"python evaluate.py {shlex.quote(_shown(run))}"


def _shown(run: Path) -> str:
    """A folder as one types it at the project's root."""
    try:
        return run.resolve().relative_to(ROOT).as_posix()
    except ValueError:
        return run.as_posix()


def _mbb(value: float, interval: float | None = None, signed: bool = False) -> str:
    sign = "+" if signed else ""
    return f"{value:{sign},.1f}" + (f" ± {interval:,.1f}" if interval else "")


def _table_head(*columns: str) -> Iterator[str]:
    """Names and alignment of a table's columns; `>` after a name puts numbers to the right."""
    yield _row(*(column.removesuffix(" >") for column in columns))
    yield "|" + "|".join("---:" if column.endswith(" >") else "---" for column in columns) + "|"


def _row(*cells: str) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
