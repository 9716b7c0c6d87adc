"""Boards of a local best response, tournament pairs and subgames, done by other processes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest

from agents.bots import make_bot
from agents.names import BOT_NAMES
from agents.searching import load_search
from arena.round_robin import pair_problem, play_named_pair, play_pair
from arena.schedule import Schedule
from deep_cfr.endgame.grid import grid_of
from deep_cfr.endgame.solutions import SolvedRows, solved_rows_problem
from deep_cfr.endgame.teacher import Teacher, solve_chunk
from env.game import load_game
from evaluation.local_best_response import local_best_response
from policies.diluted import DilutedPolicy
from policies.fixed import uniform_policy
from tests.policies import Hashed
from tests.small_runs import infosets
from workers.in_process import InProcess
from workers.local import LocalWorker
from workers.packing import pack, unpack
from workers.pool import Pool
from workers.tasks import Job, Shared, Task

SCHEDULE = Schedule(hands=400, games=4, hands_per_game=100)


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    workers = Pool([LocalWorker("one"), LocalWorker("two")], 300.0, print)
    yield workers
    workers.close()


def test_local_best_response_wins_the_same(pool: Pool) -> None:
    game = load_game("leduc")
    policy = Hashed(game.tree, 1)
    found = [
        local_best_response(
            game, policy, 640, np.random.default_rng(3), boards_per_batch=4, workers=workers
        )
        for workers in (None, pool)
    ]
    np.testing.assert_array_equal(found[0].board_mbb, found[1].board_mbb)
    assert found[0] == found[1]


@pytest.mark.parametrize("name", [*BOT_NAMES, "diluted", "search"])
def test_agents_can_be_sent(name: str) -> None:
    """They answer as before, to the last bit."""
    if name == "search":
        agent = load_search("search:checkpoints/pretrained/leduc")
        policy, game = agent.policy, load_game(agent.rules)
    else:
        game = load_game("fhp")
        policy = make_bot("honest" if name == "diluted" else name, game)
    if name == "diluted":
        policy = DilutedPolicy(game.tree, policy, 0.3)
    cards, nodes = infosets(game, 30, np.random.default_rng(0))
    sent = unpack(pack(policy))
    np.testing.assert_array_equal(sent.strategies(cards, nodes), policy.strategies(cards, nodes))


def test_pairs_play_the_same(pool: Pool) -> None:
    game = load_game("leduc")
    policies = {name: make_bot(name, game) for name in ("call", "raise", "random")}
    pairs = (("call", "raise"), ("call", "random"), ("raise", "random"))
    job = Job(play_named_pair, (Shared(game), Shared(policies)), pair_problem)
    tasks = [Task((a, b, SCHEDULE, 64)) for a, b in pairs]
    played = pool.run(job, tasks, lambda hands: None)
    for (a, b), (tally, _) in zip(pairs, played, strict=True):
        here = play_pair(game, policies[a], policies[b], SCHEDULE)
        assert tally.result(a, b, seconds=0) == here.result(a, b, seconds=0)
        assert pair_problem(tasks[0], (tally, -1.0))
        assert pair_problem(Task((a, b, Schedule(hands=800), 64)), (tally, 1.0))


def test_subgames_are_solved_the_same_and_nonsense_is_found_out(pool: Pool) -> None:
    game = load_game("fhp")
    teacher = Teacher(game, uniform_policy(game.tree), 1)
    check = partial(_problem, teacher)
    job = Job(solve_chunk, (Shared(teacher),), check)
    tasks = [Task((12, [0, 1, number])) for number in range(2)]
    here, away = (list(w.run(job, tasks, lambda done: None)) for w in (InProcess(), pool))
    for mine, theirs in zip(here, away, strict=True):
        for column, other in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(column, other)
    rows = here[0]
    assert check(tasks[0], rows) is None
    for wrong in (
        rows._replace(nodes=rows.nodes + len(game.tree)),
        rows._replace(weights=-1 - rows.weights),
        rows._replace(bins=rows.bins[:, :, :-1]),
        rows._replace(boards=rows.boards + np.uint8(100)),
    ):
        assert check(tasks[0], wrong)


def _problem(teacher: Teacher, task: Task, found: object) -> str | None:
    assert isinstance(found, SolvedRows)
    return solved_rows_problem(found, teacher.game.tree, grid_of(teacher.game.rules, 1))
