"""Evaluations as tables for the terminal."""

from __future__ import annotations

from env.rules import Rules
from evaluation.results import EvaluatedModel, Evaluation
from models.records import ExploitabilityRecord, HeadToHead, StreetPart

METHOD_NAMES = {
    "exact": "exact best response",
    "sampled boards": "best response on sampled boards",
    "lbr": "local best response",
    "exploiter": "trained exploiter",
}
LABELS = {
    "exact": "exploitability",
    "lower bound": "exploitability ≥",
    "estimate": "estimate",
}
LISTED_HANDS = 6  # of those that give away most


def one_model(name: str, rules: Rules, found: Evaluation) -> str:
    """All there is to say about one model."""
    record = found.record
    lines = [
        ("model", name),
        ("rules", rules.describe()),
        ("method", f"{_method(record)} ({record.claim})"),
        (LABELS[record.claim], f"{amount(record)} mbb/g"),
    ]
    if record.br_mbb is not None:
        first, second = record.br_mbb
        lines.append(("responder wins", f"{first:.1f} in seat 0, {second:.1f} in seat 1"))
    if record.value_mbb is not None:
        lines.append(("game value", f"{record.value_mbb:+.1f} for seat 0 in self-play"))
    lines.append(("effort", effort(record)))
    if record.note:
        lines.append(("note", record.note))
    lines += [("", "of which by decisions on the")] * bool(record.by_street)
    lines += [("", street_row(part)) for part in record.by_street]
    if found.sense is not None:
        lines += found.sense.lines()
    worst = found.hand_rows()[:LISTED_HANDS]
    if worst:
        gains = ", ".join(f"{row.hand} {row.gain_mbb:.0f}" for row in worst)
        lines.append(("largest gains", f"{gains} (mbb with these starting hands)"))
    return "\n".join(f"{label:<17}{text}" for label, text in lines)


def many_models(rules: Rules, models: list[EvaluatedModel]) -> str:
    """A run, a line per checkpoint."""
    first = models[0].record
    lines = [
        rules.describe(),
        f"{_method(first)}: {first.claim}; {first.note or 'mbb per hand'}",
        "",
        f"{'model':<14}{'iteration':>10}{'nodes touched':>16}{'mbb/g':>18}"
        f"{'seat 0':>10}{'seat 1':>10}{'seconds':>9}",
    ]
    lines += map(_line, models)
    if first.by_street:
        names = "".join(f"{part.street:>18}" for part in first.by_street)
        lines += ["", f"{'by street':<14}{names}"]
        lines += [
            f"{model.folder.name:<14}" + "".join(f"{_amount(part):>18}" for part in parts)
            for model in models
            for parts in [model.record.by_street]
        ]
    return "\n".join(lines)


def street_row(part: StreetPart) -> str:
    """`  river             98.2 ± 18.5`: what the decisions of a street bring."""
    return f"  {part.street:<14}{_amount(part):>16}"


def _amount(part: StreetPart) -> str:
    return f"{part.mbb:.1f} ± {part.interval_mbb:.1f}"


def _method(record: ExploitabilityRecord) -> str:
    """The method, and which form of it."""
    return ", ".join(filter(None, (METHOD_NAMES[record.method], record.form)))


def _line(model: EvaluatedModel) -> str:
    record = model.record
    seats = "".join(f"{won:>10.1f}" for won in record.br_mbb or ())
    touched = "unknown" if model.nodes_touched is None else f"{model.nodes_touched:,}"
    return (
        f"{model.folder.name:<14}{model.iteration:>10}{touched:>16}"
        f"{amount(record):>18}{seats}{record.seconds:>9.1f}"
    )


def head_to_head(newest: str, results: dict[str, HeadToHead]) -> str:
    """How the newest model fares against each of the others."""
    lines = [f"{newest} against earlier models, duplicate deals:"]
    lines += [
        f"  {opponent:<14}{result.mbb:>+9.1f} ± {result.ci95:.1f} mbb/g{result.hands:>12,} hands"
        for opponent, result in results.items()
    ]
    return "\n".join(lines)


def amount(record: ExploitabilityRecord) -> str:
    """`53.24`, or `53.2 ± 4.1`."""
    value, interval = record.exploitability_mbb, record.interval_mbb
    return f"{value:.1f} ± {interval:.1f}" if interval else f"{value:.2f}"


def effort(record: ExploitabilityRecord) -> str:
    """What the answer took."""
    parts = [f"{record.hands:,} hands"] if record.hands else []
    if record.boards:
        parts.append(f"{record.boards:,} boards")
    if record.hands:
        parts.append(f"seed {record.seed}")
    return ", ".join([*parts, f"{record.seconds:.1f} s"])
