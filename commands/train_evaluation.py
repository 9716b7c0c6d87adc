"""How strong the average strategy is while it is trained: what `train.py` hands to the run.

In games of at most two streets it is the exploitability, exact or from a sample of flops. Larger
games are watched by a local best response and by matches against two bots. Boards, deals and all
other chance are the same every time, so that one figure can be compared with the next. Besides,
every game with a board is watched for folds of hands that cannot lose.
"""

from __future__ import annotations

import numpy as np

from agents.bots import make_bot
from arena.match import match
from deep_cfr.memory_average import memory_average
from deep_cfr.solver import Solver
from env.boards import num_board_classes
from env.game import Game
from env.progress import NewBar
from evaluation.best_response import exploitability, is_feasible
from evaluation.dominated_folds import dominated_folds
from evaluation.local_best_response import local_best_response, street_parts
from models.records import ESTIMATE_NOTE, EXACT_STREET, FORMS
from policies.policy import Policy
from training.figures import Figure

STYLE_BOT, PLAIN_BOT = "loose-aggressive", "call"


def measure(solver: Solver, policy: Policy | None, new_bar: NewBar) -> list[Figure]:
    """Everything that is measured of a policy; without one, what needs no fitted network."""
    rules = solver.game.rules
    if is_feasible(rules):
        found = [] if policy is None else [_exploitability(solver, policy, new_bar)]
        if not rules.is_holdem:
            found.append(_of_memory(solver, new_bar))
    elif policy is None:
        return []
    else:
        found = _local_best_response(solver, policy, new_bar) + _matches(solver, policy, new_bar)
    return found if policy is None else [*found, *_dominated_folds(solver, policy)]


def _exploitability(solver: Solver, policy: Policy, new_bar: NewBar) -> Figure:
    """Exact or an estimate: what is estimated never passes for exact."""
    rules, config = solver.game.rules, solver.config
    is_exact = not rules.is_holdem or not 0 < config.eval_boards < num_board_classes(rules)
    sample = None if is_exact else (config.eval_boards, np.random.default_rng(config.seed))
    found = exploitability(solver.game, policy, sample=sample, new_bar=new_bar)
    mbb, worth = found.exploitability_mbb, "exact" if is_exact else f"estimate, {ESTIMATE_NOTE}"
    name = "exploitability_mbb" if is_exact else "exploitability_estimate_mbb"
    return Figure(name, mbb, f"exploitability {mbb:.2f} mbb/g ({worth})")


def _of_memory(solver: Solver, new_bar: NewBar) -> Figure:
    """Exact exploitability of the strategy memory's averages; a toy game has few infosets."""
    game = solver.game
    policy = memory_average(solver.strategy_memory.rows, game.tree, solver.config.average_power)
    mbb = exploitability(game, policy, new_bar=new_bar).exploitability_mbb
    text = f"exploitability of the strategy memory {mbb:.2f} mbb/g (exact)"
    return Figure("exploitability_of_memory_mbb", mbb, text)


def _local_best_response(solver: Solver, policy: Policy, new_bar: NewBar) -> list[Figure]:
    hands, seed = solver.config.eval_hands, solver.config.seed
    if not hands:
        return []
    progress = new_bar("local best response", hands)
    rng = np.random.default_rng(seed)
    found = local_best_response(
        solver.game, policy, hands, rng, progress, by_street=True, workers=solver.workers
    )
    parts = street_parts(solver.game.rules, found)
    streets = ", ".join(f"{part.street} {part.mbb:.0f}" for part in parts)
    text = (
        f"local best response wins {found.bound_mbb:.0f} ± {found.interval_mbb:.0f} mbb/g "
        f"(lower bound on exploitability; {FORMS[EXACT_STREET]}; {streets})"
    )
    return [Figure("lbr_mbb", found.bound_mbb, text, found.interval_mbb, parts)]


def _matches(solver: Solver, policy: Policy, new_bar: NewBar) -> list[Figure]:
    hands, seed = solver.config.eval_match_hands, solver.config.seed
    figures = []
    for name in _bots(solver.game) if hands else ():
        progress = new_bar(f"against {name}", hands)
        bot = make_bot(name, solver.game)
        won = match(solver.game, policy, bot, hands, seed, progress=progress)
        column = f"won_from_{name.replace('-', '_')}_mbb"
        text = f"wins {won.mbb:+.0f} ± {won.ci95_mbb:.0f} mbb/g from {name}"
        figures.append(Figure(column, won.mbb, text, won.ci95_mbb))
    return figures


def _dominated_folds(solver: Solver, policy: Policy) -> list[Figure]:
    """How often hands that cannot lose are folded: what the rule of loaded models will mend."""
    found = dominated_folds(solver.game, policy, solver.config.seed)
    if found is None:
        return []
    shares = {"random": found.random.share, "reached": found.reached.share}
    return [
        Figure(
            f"unbeatable_folded_{name}",
            share,
            f"folds unbeatable hands {share:.2%} ({name} situations)",
        )
        for name, share in shares.items()
        if share is not None
    ]


def _bots(game: Game) -> list[str]:
    """A bot with a style needs hand strengths, which some rules do not have."""
    return [PLAIN_BOT] if game.strengths is None else [STYLE_BOT, PLAIN_BOT]
