"""The README.md of a run: what was trained, how good it is as far as measured, how to ask it.

Everything comes from the model.json files and the measurements beside them (and, where a run has
them, its latest state and logs), so the same files always give the same card.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from deep_cfr.config import DCFR, LINEAR, Config, ConfigError
from env.actions import CALL
from env.cards import cards_text
from env.game import load_game
from env.own_game import names_own_game
from env.rules import Rules, RulesError
from models.card_training import Trained, training_lines
from models.layout import known_count, models_at, read_info
from models.locks import exclusive_lock
from models.markdown import NOTHING, code, count, fenced, mbb, table_head, table_row, text
from models.measurements import MEASUREMENTS, Measurements
from models.origin import Origin, is_published, known_origin
from models.records import ExploitabilityRecord, HeadToHead
from models.shown_paths import portable, typed
from models.starting_points import StartingPoint, starting_points
from models.storage import StorageError, whole_file

WEIGHTINGS = {
    LINEAR: "with Linear CFR weights.",
    DCFR: "with Discounted CFR ([Brown and Sandholm 2019](https://arxiv.org/abs/1809.04040)).",
}
CARD_FILE, CARD_LOCK = "README.md", ".card.lock"


@dataclass(frozen=True)
class _Saved:
    """One model of the run, as its model.json describes it."""

    rules: Rules
    config: Config
    iteration: int
    nodes_touched: int | None  # None where the file does not say it
    parameters: int | None
    evaluations: list[ExploitabilityRecord]  # the most precise one by each method
    matches: dict[str, HeadToHead]  # the most precise one against each opponent
    has_more: bool  # measurements than those
    origin: Origin
    started_from: tuple[StartingPoint, ...]
    is_published: bool
    versions: dict[str, str]


def write_card(run: Path) -> Path:
    """Write the card of a run, or of a folder that is itself a model; return the file."""
    card = run / CARD_FILE
    newest_first = models_at(run)[::-1]
    with exclusive_lock(run / CARD_LOCK, wait=True):  # so that the last card knows everything
        models = [model for folder in newest_first if (model := _read(run, folder))]
        if not models:
            raise StorageError(f"{run} holds no model to describe")
        whole_file(card, ("\n".join(_lines(run, models)) + "\n").encode())
    return card


def _read(run: Path, folder: Path) -> _Saved | None:
    """A model's description; None where there is none that can be read."""
    try:
        info = read_info(folder)
        rules = Rules.from_dict(info["rules"])
        measured = Measurements.of(folder)
        evaluations, matches = measured.best_evaluations, measured.best_matches
        num_shown = len(matches) + sum(record in measured.evaluations for record in evaluations)
        return _Saved(
            rules=rules,
            config=Config.from_saved(info["config"]).for_game(rules),
            iteration=int(info["iteration"]),
            nodes_touched=known_count(info, "nodes_touched"),
            parameters=known_count(info, "parameters"),
            evaluations=evaluations,
            matches=matches,
            has_more=num_shown < len(measured.evaluations) + len(measured.matches),
            origin=known_origin(info, run),
            started_from=starting_points(info),
            is_published=is_published(info),
            versions={name: str(number) for name, number in info.get("versions", {}).items()},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RulesError, ConfigError):
        return None


def _lines(run: Path, models: list[_Saved]) -> Iterator[str]:
    newest = models[0]
    yield f"# Deep CFR for {text(newest.rules.name)}, {newest.iteration} iterations"
    yield ""
    yield (
        "The average strategy of Deep CFR ([Brown et al. 2019](https://arxiv.org/abs/1811.00164)) "
        + WEIGHTINGS[newest.config.weighting]
    )
    yield ""
    yield _headline(run, models)
    for title, section in (
        ("The game", _game(newest)),
        ("Checkpoints", _checkpoints(run, models)),
        ("Head to head", _head_to_head(run, models)),
        ("Training", _training(newest)),
        ("Asking it", _usage(run, newest)),
        ("Versions", _versions(newest)),
    ):
        yield from ("", f"## {title}", "")
        yield from section


def _headline(run: Path, models: list[_Saved]) -> str:
    """What the most precise measurements of the newest measured model say."""
    for model in models:
        if model.evaluations:
            exact = [record for record in model.evaluations if record.claim == "exact"]
            found = "; ".join(
                f"{mbb(record.exploitability_mbb, record.interval_mbb)} mbb/g "
                f"({text(_claim(record))})"
                for record in exact or model.evaluations
            )
            return f"**Exploitability after iteration {model.iteration}:** {found}."
    if models[0].is_published:
        return "**Exploitability:** not measured before this model was published."
    game = models[0].config.game
    words = ["--game", game] if names_own_game(game) else []
    return f"**Exploitability:** not measured yet; {_command('evaluate.py', run, *words)} does it."


def _game(model: _Saved) -> Iterator[str]:
    unit = "big blind" if model.rules.is_holdem else "ante"
    yield f"{text(model.rules.describe())}."
    yield ""
    yield f"Figures are in mbb/g: thousandths of the {unit} per hand."


def _checkpoints(run: Path, models: list[_Saved]) -> Iterator[str]:
    yield from table_head(
        "iteration >",
        "nodes touched >",
        "method",
        "claim",
        "exploitability >",
        "best response in seat 0 >",
        "in seat 1 >",
        "hands >",
    )
    for model in models:
        start = (str(model.iteration), count(model.nodes_touched))
        if not model.evaluations:
            yield table_row(*start, *[NOTHING] * 6)
        for record in model.evaluations:
            yield table_row(*start, *_evaluation(record))
    if any(model.evaluations for model in models):
        yield ""
        yield (
            "What best responses win per hand, the mean over both seats: 0 for an equilibrium. "
            "± is a 95 % interval. A lower bound says how much can be won at least; the "
            "exploitability itself may be far above it."
        )
    if any(model.has_more for model in models):
        yield ""
        yield (
            "Of several measurements by one method, or against one opponent, the most precise one "
            f"is shown; {code(MEASUREMENTS)} beside each model holds them all."
        )


def _claim(record: ExploitabilityRecord) -> str:
    """The method, and what it claims, in as few words as will do."""
    return ", ".join(dict.fromkeys(filter(None, (record.method, record.claim, record.form))))


def _evaluation(record: ExploitabilityRecord) -> list[str]:
    """The cells of one evaluation."""
    responses = [NOTHING] * 2 if record.br_mbb is None else [mbb(won) for won in record.br_mbb]
    return [
        record.method,
        "; ".join(filter(None, (record.claim, record.form, record.note))),
        mbb(record.exploitability_mbb, record.interval_mbb),
        *responses,
        f"{record.hands:,}" if record.hands else NOTHING,
    ]


def _head_to_head(run: Path, models: list[_Saved]) -> Iterator[str]:
    if not any(model.matches for model in models):
        if models[0].is_published:
            yield "No matches were recorded before this model was published."
        else:
            command = _command("tournament.py", run, "call", "random")
            yield f"Nothing measured yet; {command} does it."
        return
    yield from table_head("iteration >", "opponent", "wins, mbb/g >", "hands >")
    for model in models:
        for opponent, result in model.matches.items():
            won = mbb(result.mbb, result.ci95, signed=True)
            yield table_row(str(model.iteration), opponent, won, f"{result.hands:,}")
    yield ""
    yield "What this model wins from the opponent; ± is a 95 % interval."


def _training(model: _Saved) -> Iterator[str]:
    trained = Trained(
        model.rules,
        model.config,
        model.iteration,
        model.nodes_touched,
        model.parameters,
        model.origin,
        model.started_from,
    )
    return training_lines(trained)


def _usage(run: Path, model: _Saved) -> Iterator[str]:
    hand, board, line = _example(model.rules)
    imports, own = "", ""
    if names_own_game(game := model.config.game):  # whose betting only its own code knows
        board = line = ""
        imports, own = "from env.own_game import game_named\n", f', game_named("{game}")'
    place = portable(run) if model.is_published else typed(run)
    yield "From the project's root:"
    yield ""
    yield from fenced(
        f"{imports}from models import load\n"
        "\n"
        f"model = load({json.dumps(place, ensure_ascii=False)}{own})\n"
        f'print(model.ask("{hand}"))  # at the start of the hand\n'
        f'print(model.explain("{hand}", board="{board}", line="{line}"))',
        "python",
    )
    yield ""
    yield (
        "A line is a letter per action, f (fold), c (call or check) and r (raise or bet), with a "
        "slash after each street."
    )


def _versions(model: _Saved) -> Iterator[str]:
    yield text(", ".join(f"{name} {number}" for name, number in model.versions.items())) + "."


def _example(rules: Rules) -> tuple[str, str, str]:
    """A hand, a board and a line that exist in this game: calls up to the second street."""
    tree, deck = load_game(rules).tree, rules.deck
    apart = min(len(rules.suits) + 2, len(deck))  # another rank and suit, where there is one
    hole = [deck[-1], deck[-apart]][: rules.hole_cards]
    node = 0
    while tree.street[node] == 0 and tree.is_decision[child := int(tree.children[node, CALL])]:
        node = child
    needed = rules.visible_board[int(tree.street[node])]
    left = [card for card in deck if card not in hole]
    step = len(left) // (needed + 1) | 1  # odd, so that suits differ
    return cards_text(hole), cards_text(left[::step][:needed]), tree.text(node)


def _command(script: str, run: Path, *words: str) -> str:
    return code(shlex.join(["python", script, typed(run), *words]))
