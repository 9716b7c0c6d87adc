"""The presets: named settings to start from, each measured (docs/results.md)."""

from __future__ import annotations

from typing import Any

from deep_cfr.config import Config

DEFAULT_PRESET = "standard"
PRESETS: dict[str, tuple[str, Config]] = {
    "standard": (
        "hulh: a sensible model within about half an hour on two CPU cores, better with time",
        Config(
            iterations=300,
            boards=256,
            board_hands=16,
            rounds=10,
            refit_every=4,
            updates=1_000,
            updates_growth=10,
            checkpoint_every=50,
            keep_advantage_nets=False,  # 9 MB for every iteration
        ),
    ),
    "thesis": (
        "hulh80 with the network and the values of the thesis's tables 3.1-3.4: five models",
        Config(
            game="hulh80",
            iterations=50,
            traversals=250,
            boards=250,
            board_hands=16,
            rounds=10,
            network="thesis",
            checkpoint_every=10,
            resume_every=2,
            advantage_memory=100_000,
            strategy_memory=200_000,
            strategy_regression=True,
            updates=16_000,
            updates_growth=0,
            batch_size=500,
            learning_rate=1e-4,
            strategy_updates=16_000,
            strategy_batch_size=500,
            strategy_learning_rate=1e-4,
            learning_rate_end=1.0,
            validation_fraction=0.1,
            patience=10,
            refit_every=1,
            keep_advantage_nets=False,  # ten times the size of the paper's
        ),
    ),
    "fhp": (
        "fhp: 50 of its 120 iterations took 17 minutes on one thread; exploitability is estimated",
        Config(
            game="fhp",
            iterations=120,
            boards=600,
            board_hands=100,
            traversals=20_000,
            refit_every=2,
            updates=1_000,
            updates_growth=60,
            batch_size=512,
            strategy_updates=6_000,
            checkpoint_every=10,
            resume_every=5,
        ),
    ),
    "paper": (
        "the values of Brown et al. 2019; with --game fhp or hulh-paper; days without a GPU",
        Config(
            game="fhp",
            iterations=450,
            traversals=10_000,
            advantage_memory=40_000_000,
            strategy_memory=40_000_000,
            updates=4_000,
            updates_growth=0,
            batch_size=10_000,
            learning_rate=1e-3,
            strategy_updates=4_000,
            strategy_batch_size=10_000,
            strategy_learning_rate=1e-3,
            learning_rate_end=1.0,
            strength=False,
            strength_regression=False,
            checkpoint_every=10,
            resume_every=5,
        ),
    ),
    "leduc": (
        "leduc: minutes on a laptop, with exact exploitability",
        Config(
            game="leduc",
            iterations=250,
            traversals=3_000,
            learning_rate=8e-3,
            advantage_memory=10_000_000,
            strategy_memory=10_000_000,
            updates=500,
            updates_growth=0,
            batch_size=512,
            strategy_updates=6_000,
            strategy_batch_size=512,
            checkpoint_every=50,
        ),
    ),
    "kuhn": (
        "kuhn: under a minute on a laptop, with exact exploitability",
        Config(
            game="kuhn",
            iterations=40,
            traversals=1_000,
            width=32,
            advantage_memory=500_000,
            strategy_memory=500_000,
            updates=200,
            updates_growth=0,
            batch_size=128,
            strategy_updates=500,
            strategy_batch_size=128,
            checkpoint_every=10,
        ),
    ),
    "smoke": (
        "hulh end to end in under a minute: a small version of standard, for trying things",
        Config(
            iterations=3,
            traversals=500,
            boards=16,
            board_hands=8,
            rounds=2,
            refit_every=2,
            width=32,
            advantage_memory=200_000,
            strategy_memory=200_000,
            updates=50,
            updates_growth=0,
            batch_size=512,
            strategy_updates=50,
            strategy_batch_size=512,
            checkpoint_every=1,
            resume_every=1,
            keep_advantage_nets=False,
        ),
    ),
}

# Brown et al. fit longer and with larger batches in hold'em than in flop hold'em.
PAPER_HOLDEM: dict[str, Any] = {
    "updates": 32_000,
    "batch_size": 20_000,
    "strategy_updates": 32_000,
    "strategy_batch_size": 20_000,
}
