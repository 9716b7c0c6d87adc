"""One training run from start or resume to the closing summary."""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from deep_cfr.config import Config, ConfigError
from deep_cfr.networks import device
from deep_cfr.networks.network import Network
from deep_cfr.networks.quiet import quiet_without_gpu
from deep_cfr.solver import Iteration, Solver
from env.game import load_game
from models.advantage_nets import save_advantage_nets
from models.layout import MODEL_FILE, model_folder, model_folders
from models.model_card import write_card
from models.saving import save_model, versions
from models.storage import known_json, whole_file
from policies.fixed import uniform_policy
from training import checkpoint
from training.figures import Evaluator
from training.metrics import IterationMetrics
from training.telemetry import Telemetry

INTERRUPTED = 130
LONG_HOURS = 6


@dataclass(frozen=True)
class Places:
    """Where a run keeps its files."""

    name: str
    logs: Path
    checkpoints: Path


class Run:
    """Algorithm 1 with everything around it: saving, watching, evaluating, stopping."""

    def __init__(self, config: Config, places: Places, evaluate: Evaluator, resume: bool) -> None:
        self.places, self._evaluate = places, evaluate
        game = load_game(config.game)
        with quiet_without_gpu():
            self._device = device.prepare(config.threads, config.network)
        self.solver = Solver(config, game, self._new_bar)
        self.config = config = self.solver.config
        extra: dict[str, Any] = {"rows": [], "wall_s": 0.0}
        if resume:
            extra = checkpoint.load_latest(places.checkpoints, self.solver)
        self._wall_before, self._start = extra["wall_s"], time.perf_counter()
        records = [IterationMetrics.from_json(row) for row in extra["rows"]]
        self._telemetry = Telemetry(places.logs, config, records)
        self._saved = self.solver.t if resume else -1
        self._stop_requested = False

    def go(self, max_minutes: float | None) -> int:
        """Iterate until done, out of time or interrupted; the exit code."""
        self._write_config()
        self._greet()
        self._telemetry.start(self.solver.t, self.config.iterations)
        try:
            with self._stopping_on_signals():
                if self._saved < 0:
                    self._save_latest()  # so that there is something to resume from the start
                if self.solver.t == 0:
                    self._measure_uniform()
                self._iterate(max_minutes)
                self._finish()
        finally:
            self._telemetry.close()
        self._say_goodbye()
        return INTERRUPTED if self._stop_requested else 0

    def _iterate(self, max_minutes: float | None) -> None:
        while self.solver.t < self.config.iterations and not self._stop_requested:
            self._one_iteration()
            if max_minutes and time.perf_counter() - self._start > 60 * max_minutes:
                break

    def _finish(self) -> None:
        """Save what the last iterations learned: first what resuming needs, then the model."""
        if self._saved < self.solver.t:
            self._save_latest()
        if self.solver.t and not self._stop_requested and not self._has_model():
            self._save_model()
            self._save_latest()  # with what the model's evaluation added to the metrics
        if model_folders(self.places.checkpoints):
            write_card(self.places.checkpoints)

    def _has_model(self) -> bool:
        folder = model_folder(self.places.checkpoints, self.solver.t)
        return (folder / MODEL_FILE).exists()

    def _one_iteration(self) -> None:
        done: Iteration = self.solver.iterate()
        self._telemetry.iteration(self.solver, done, self._wall_s())
        t, config = self.solver.t, self.config
        if config.keep_advantage_nets:
            save_advantage_nets(self.places.checkpoints, self.solver)
        if t % config.checkpoint_every == 0:
            self._save_model()
        elif config.eval_every and t % config.eval_every == 0:
            self._measure_between_models()
        if t % config.resume_every == 0:
            self._save_latest()

    def _measure(self) -> tuple[Network, dict[str, Any]]:
        """Fit the average strategy and see how strong it is."""
        policy, fit = self.solver.fit_strategy()
        self._telemetry.model(self.solver, policy, fit)
        figures = self._evaluate(self.solver, policy, self._new_bar)
        self._telemetry.strength(self.solver, figures)
        metrics: dict[str, Any] = {"strategy_loss": fit.loss}
        for figure in figures:
            metrics |= figure.columns
        return policy.network, metrics

    def _measure_between_models(self) -> None:
        """Measure what needs no fit; where nothing can be said without one, fit."""
        figures = self._evaluate(self.solver, None, self._new_bar)
        if figures:
            self._telemetry.strength(self.solver, figures)
        else:
            self._measure()

    def _measure_uniform(self) -> None:
        """Where the curves of strength start: every legal action equally often."""
        policy = uniform_policy(self.solver.game.tree)
        figures = self._evaluate(self.solver, policy, self._new_bar)
        self._telemetry.strength(self.solver, figures)

    def _save_model(self) -> None:
        network, metrics = self._measure()
        folder = save_model(self.places.checkpoints, self.solver, network, metrics)
        write_card(self.places.checkpoints)
        self._telemetry.say(f"saved {folder}")

    def _save_latest(self) -> None:
        extra = {
            "rows": [record.to_json() for record in self._telemetry.records],
            "wall_s": self._wall_s(),
            "logs": str(self.places.logs.resolve()),
        }
        checkpoint.save_latest(self.places.checkpoints, self.solver, extra)
        self._saved = self.solver.t

    def _new_bar(self, what: str, total: int) -> Callable[[int], None]:
        return self._telemetry.new_bar(what, total)

    def _wall_s(self) -> float:
        return float(self._wall_before + time.perf_counter() - self._start)

    @contextmanager
    def _stopping_on_signals(self) -> Iterator[None]:
        """Ctrl-C asks to stop after the iteration in hand; a second one stops at once."""

        def ask(signum: int, frame: FrameType | None) -> None:
            if self._stop_requested:
                raise KeyboardInterrupt
            self._stop_requested = True
            # Written past Python's buffers, which may be in use at this very moment.
            os.write(2, b"\nstopping after this iteration; once more to stop at once\n")

        before = {sig: signal.signal(sig, ask) for sig in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for sig, handler in before.items():
                signal.signal(sig, handler)

    def _write_config(self) -> None:
        file = self.places.logs / "config.json"
        words = shlex.join(["python", Path(sys.argv[0]).name, *sys.argv[1:]])
        started = known_json(file).get("command") if self._saved >= 0 else None
        commands = {"command": started, "resumed_with": words} if started else {"command": words}
        content = {
            "config": dataclasses.asdict(self.config),
            "rules": self.solver.game.rules.as_dict(),
            "parameters": self.solver.advantage_nets[0].num_parameters,
            "device": self._device,
            "versions": versions(),
            **commands,
        }
        whole_file(file, json.dumps(content, indent=1).encode())

    def _greet(self) -> None:
        say, config = self._telemetry.say, self.config
        say(self.solver.game.rules.describe())
        say(
            f"run {self.places.name}: {config.network} network, "
            f"{self.solver.advantage_nets[0].num_parameters:,} parameters, {self._device}"
        )
        if self.solver.t >= config.iterations:
            say(f"{self.solver.t} iterations are done already; --iterations asks for more")
        hours = self._estimated_hours()
        if hours > LONG_HOURS and not config.validation_fraction:  # else fits end early
            say(
                f"warning: fitting alone will take about {hours:,.0f} hours on this machine; "
                "a smaller preset or --updates, --batch-size and --iterations bring it down"
            )

    def _estimated_hours(self) -> float:
        """Time of all advantage fits at the speed of plain matrix products, halved."""
        config = self.config
        remaining = range(self.solver.t + 1, config.iterations + 1)
        updates = 2 * sum(config.advantage_fit(t).updates for t in remaining if config.refits(t))
        per_update = 6 * self.solver.advantage_nets[0].num_parameters * config.batch_size
        return 2 * updates * per_update / device.matmul_flops() / 3600

    def _say_goodbye(self) -> None:
        name, solver = self.places.name, self.solver
        models = model_folders(self.places.checkpoints)
        print(
            f"\n{solver.t} iterations, {solver.nodes_touched:,} nodes touched, "
            f"{self._wall_s() / 60:.1f} minutes"
        )
        print(f"logs    {self.places.logs}   (tensorboard --logdir {self.places.logs.parent})")
        if models:
            print(f"model   {models[-1]}")
        words = ["python", "train.py", "--resume", name]
        if self.places.checkpoints.parent != Path("checkpoints"):
            words += ["--checkpoints", str(self.places.checkpoints.parent)]
        if solver.t >= self.config.iterations:
            words += ["--iterations", str(2 * solver.t)]
        print(f"go on   {shlex.join(words)}")


def find_run(resume: str, checkpoints: Path) -> Path:
    """The folder of a run given by name or by path."""
    for candidate in (checkpoints / resume, Path(resume)):
        if candidate.is_dir():
            return candidate
    raise ConfigError(f"there is no run {resume!r} in {checkpoints}/ to resume")
