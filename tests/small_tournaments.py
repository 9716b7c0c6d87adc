"""A small run to take part in tournaments, and what a tournament leaves in its folder."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from deep_cfr.config import Config
from deep_cfr.networks.network import make_network
from deep_cfr.solver import Solver
from env.game import load_game
from env.rules import LEDUC
from models.saving import save_model

SHORT = ["--hands", "400", "--games", "10", "--threads", "1"]


def save_tiny_run(run: Path) -> Path:
    """A run of leduc with two random networks."""
    solver = Solver(Config(game="leduc", width=16), load_game(LEDUC))
    network = make_network(solver.encoding, solver.config.width)
    for t in (1, 2):
        rng = np.random.default_rng(t)
        shapes = [weight.shape for weight in network.get_weights()]
        network.set_weights([rng.normal(0, 0.4, shape).astype(np.float32) for shape in shapes])
        solver.t = t
        save_model(run, solver, network, {})
    return run


def results_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return content


def lasting(folder: Path) -> bytes:
    """results.json without what tells time or the command."""
    text = (folder / "results.json").read_text()
    return re.sub(r'"(seconds|started|command)": .*', r'"\1"', text).encode()
