"""Evaluations as tables for the terminal."""

from __future__ import annotations

from typing import Any

from env.rules import Rules

METHOD_NAMES = {
    "exact": "exact best response",
    "sampled boards": "best response on sampled boards",
    "lbr": "local best response",
    "exploiter": "trained exploiter",
}
SHOWN_HANDS = 6


def one_model(name: str, rules: Rules, entry: dict[str, Any]) -> str:
    """All there is to say about one model."""
    kind = entry["kind"]
    label = {"exact": "exploitability", "lower bound": "exploitability ≥"}.get(kind, "estimate")
    lines = [
        ("model", name),
        ("rules", rules.describe()),
        ("method", f"{METHOD_NAMES[entry['method']]} ({kind})"),
        (label, f"{amount(entry)} mbb/g"),
        ("responder wins", "{:.1f} in seat 0, {:.1f} in seat 1".format(*entry["br_mbb"])),
    ]
    if entry["value_mbb"] is not None:
        lines.append(("game value", f"{entry['value_mbb']:+.1f} for seat 0 in self-play"))
    lines.append(("effort", effort(entry)))
    if entry["note"]:
        lines.append(("note", entry["note"]))
    if entry.get("by_hand"):
        worst = entry["by_hand"][:SHOWN_HANDS]
        gains = ", ".join(f"{row['hand']} {row['gain_mbb']:.0f}" for row in worst)
        lines.append(("largest gains", f"{gains} (mbb with these starting hands)"))
    return "\n".join(f"{label:<17}{text}" for label, text in lines)


def many_models(rules: Rules, entries: list[dict[str, Any]]) -> str:
    """A run, a line per checkpoint."""
    first = entries[0]
    lines = [
        rules.describe(),
        f"{METHOD_NAMES[first['method']]}: {first['kind']}; {first['note'] or 'mbb per hand'}",
        "",
        f"{'model':<14}{'iteration':>10}{'nodes touched':>16}{'mbb/g':>18}"
        f"{'seat 0':>10}{'seat 1':>10}{'seconds':>9}",
    ]
    lines += [
        f"{entry['name']:<14}{entry['iteration']:>10}{entry['nodes_touched']:>16,}"
        f"{amount(entry):>18}{entry['br_mbb'][0]:>10.1f}{entry['br_mbb'][1]:>10.1f}"
        f"{entry['seconds']:>9.1f}"
        for entry in entries
    ]
    return "\n".join(lines)


def head_to_head(newest: str, results: dict[str, dict[str, Any]]) -> str:
    """How the newest model fares against each of the others."""
    lines = [f"{newest} against earlier models, duplicate deals:"]
    lines += [
        f"  {opponent:<14}{result['mbb']:>+9.1f} ± {result['ci95']:.1f} mbb/g"
        f"{result['hands']:>12,} hands"
        for opponent, result in results.items()
    ]
    return "\n".join(lines)


def amount(entry: dict[str, Any]) -> str:
    """`53.2`, or `53.2 ± 4.1`."""
    value, interval = entry["exploitability_mbb"], entry["interval_mbb"]
    return f"{value:.1f} ± {interval:.1f}" if interval else f"{value:.2f}"


def effort(entry: dict[str, Any]) -> str:
    """What the answer took."""
    parts = [f"{entry['hands']:,} hands"] if entry["hands"] else []
    if entry["boards"]:
        parts.append(f"{entry['boards']:,} boards")
    if entry["hands"]:
        parts.append(f"seed {entry['seed']}")
    return ", ".join([*parts, f"{entry['seconds']:.1f} s"])
