"""One training run from start or resume to the closing summary."""

from __future__ import annotations

import dataclasses
import json
import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path

from deep_cfr.config import Config
from deep_cfr.endgame.learner import LearnedEndgames
from deep_cfr.fitting.trainer import Diverged
from deep_cfr.networks import device
from deep_cfr.networks.network import Network
from deep_cfr.networks.quiet import quiet_without_gpu
from deep_cfr.solver import Iteration, Solver
from env.game import Game, load_game
from models.advantage_nets import save_advantage_nets
from models.layout import MODEL_FILE, model_folder, model_folders
from models.model_card import write_card
from models.run_state import RunProgress
from models.saving import save_model
from models.starting_points import STARTED_FROM
from models.storage import known_json, whole_file
from models.versions import versions
from policies.fixed import uniform_policy
from training import checkpoint
from training.figures import Evaluator
from training.forecast import Forecast
from training.metrics import IterationMetrics
from training.places import Places
from training.resuming import program, resume_command, resume_notes
from training.stopping import Stopped, Stopping
from training.telemetry import Telemetry
from workers.tasks import Workers, WorkersError

INTERRUPTED = 130
LONG_HOURS = 6
COMPILING = "the first iteration compiles kernels and graphs: up to a minute the first time"


class Run:
    """Algorithm 1 with everything around it: saving, watching, evaluating, stopping."""

    def __init__(
        self,
        config: Config,
        places: Places,
        evaluate: Evaluator,
        resume: bool,
        source: Path | None = None,  # another run, from which this new one starts
        game: Game | None = None,
        workers: Workers | None = None,
    ) -> None:
        """A run of these settings; a game of the user's own is handed in."""
        self.places, self._evaluate = places, evaluate
        self._start, self._stopping = time.perf_counter(), Stopping()
        game = game or load_game(config.game)
        with quiet_without_gpu():
            self._device = device.prepare(config.threads, config.network)
        # The command line has named whatever code of the user's own these settings name.
        self.solver = Solver(config, game, self._new_bar, workers=workers, runs_own_code=True)
        self.config = config = self.solver.config
        before = RunProgress()
        if resume:
            before = checkpoint.load_latest(places.checkpoints, self.solver)
        elif source:
            before = checkpoint.start_from(source, self.solver)
        self._started_from = before.started_from
        self._wall_before = before.wall_s
        records = [IterationMetrics.from_json(row) for row in before.rows]
        self._telemetry = Telemetry(places.logs, config, records)
        self._notes = resume_notes(before, self._made_with(), places.logs)
        self._forecast = Forecast(self.solver)
        self._saved = self.solver.t if resume else -1

    def go(self, max_minutes: float | None) -> int:
        """Iterate until done, out of time or interrupted; the exit code."""
        self._write_config()
        self._greet()
        self._telemetry.start(self.solver.t, self.config.iterations)
        end = None if max_minutes is None else self._start + 60 * max_minutes
        try:
            with self._stopping.on_signals():
                self._work(end)
        finally:
            self._telemetry.close()
        self._say_goodbye()
        return INTERRUPTED if self._stopping.is_requested else 0

    def _work(self, end: float | None) -> None:
        """Everything between the first words and the last; finished iterations are always saved."""
        try:
            if self._saved < 0:
                self._save_latest()  # so that there is something to resume from the start
            if self.solver.t == 0:
                self._measure_uniform()
            self._iterate(end)
            self._finish()
        except Stopped:
            self._save_unsaved()
        except (Diverged, WorkersError):
            self._save_unsaved()
            raise
        if model_folders(self.places.checkpoints):
            write_card(self.places.checkpoints)

    def _iterate(self, end: float | None) -> None:
        """Iterations until there are enough, or until there is just time for the closing model."""
        if self.solver.t and self.solver.t < self.config.iterations:
            self._save_what_is_due()  # a stop may have come between an iteration and its model
        while self.solver.t < self.config.iterations:
            self._stopping.check()
            late = None if end is None else lambda: end - self._forecast.closing_s()
            try:
                # The limit of time spares the first iteration: without it there is no model.
                with self._stopping.until(late if self.solver.t else None):
                    self._stopping.check()
                    done = self.solver.iterate()
            except Stopped:
                if self._stopping.is_requested:
                    raise
                return
            self._record(done)
            self._save_what_is_due()

    def _record(self, done: Iteration) -> None:
        t, config = self.solver.t, self.config
        self._forecast.learn(done)
        is_saved = self._is_checkpoint() or t == config.iterations
        self._telemetry.iteration(self.solver, done, self._wall_s(), always=is_saved)
        if config.keep_advantage_nets:
            save_advantage_nets(self.places.checkpoints, self.solver)

    def _is_checkpoint(self) -> bool:
        return self.solver.t % self.config.checkpoint_every == 0

    def _is_evaluated(self) -> bool:
        return bool(self.config.eval_every) and self.solver.t % self.config.eval_every == 0

    def _save_what_is_due(self) -> None:
        """The model, the evaluation and the state that this iteration is to leave behind."""
        t, was_saved = self.solver.t, self._saved == self.solver.t
        lacks_model = self._is_checkpoint() and not self._has_model()
        lacks_evaluation = self._is_evaluated() and not self._telemetry.is_measured(t)
        if lacks_model:
            self._save_model()
        elif lacks_evaluation:
            self._measure_between_models()
        is_amended = was_saved and (lacks_model or lacks_evaluation)  # with what was measured
        if is_amended or (not was_saved and t % self.config.resume_every == 0):
            self._save_latest()

    def _finish(self) -> None:
        """Save what the last iterations learned: first what resuming needs, then the model."""
        self._save_unsaved()
        if self.solver.t and not self._has_model():
            self._save_model()
            self._save_latest()  # with what the model's evaluation added to the metrics

    def _save_unsaved(self) -> None:
        if self._saved < self.solver.t:
            self._telemetry.say(f"saving iteration {self.solver.t}")
            self._save_latest()

    def _has_model(self) -> bool:
        folder = model_folder(self.places.checkpoints, self.solver.t)
        return (folder / MODEL_FILE).exists()

    def _measure(self) -> tuple[Network, LearnedEndgames, dict[str, float]]:
        """Fit the average strategy, learn its last streets and see how strong it is."""
        average, fit = self.solver.fit_strategy()
        self._telemetry.model(self.solver, average, fit)
        learned = self.solver.learn_endgames(average)
        self._telemetry.endgames(self.solver, learned)
        figures = self._evaluate(self.solver, learned.policy, self._new_bar)
        self._telemetry.strength(self.solver, figures)
        metrics = {"strategy_loss": fit.loss}
        for figure in figures:
            metrics |= figure.columns
        return average.network, learned, metrics

    def _measure_between_models(self) -> None:
        """Measure what needs no fit; where nothing can be said without one, fit."""
        figures = self._evaluate(self.solver, None, self._new_bar)
        if figures:  # these are quick, and may come with every iteration
            self._telemetry.strength(self.solver, figures, always=False)
        else:
            self._measure()

    def _measure_uniform(self) -> None:
        """Where the curves of strength start: every legal action equally often."""
        policy = uniform_policy(self.solver.game.tree)
        figures = self._evaluate(self.solver, policy, self._new_bar)
        self._telemetry.strength(self.solver, figures)

    def _save_model(self) -> None:
        with self._forecast.timing_model():
            network, learned, metrics = self._measure()
            place = self.places.checkpoints
            points = self._started_from
            folder = save_model(place, self.solver, network, metrics, learned.networks, points)
            write_card(self.places.checkpoints)
        self._telemetry.say(f"saved {folder}")

    def _save_latest(self) -> None:
        progress = RunProgress(
            rows=[record.to_json() for record in self._telemetry.records],
            wall_s=self._wall_s(),
            logs=str(self.places.logs.resolve()),
            made_with=self._made_with(),
            started_from=self._started_from,
        )
        with self._forecast.timing_save():
            checkpoint.save_latest(self.places.checkpoints, self.solver, progress)
        self._saved = self.solver.t

    def _made_with(self) -> dict[str, str]:
        """What the last bits of a result depend on besides the settings."""
        return {"threads": str(device.threads_used(self.config.threads)), **versions()}

    def _new_bar(self, what: str, total: int) -> Callable[[int], None]:
        return self._stopping.watched(self._telemetry.new_bar)(what, total)

    def _wall_s(self) -> float:
        return float(self._wall_before + time.perf_counter() - self._start)

    def _write_config(self) -> None:
        file = self.places.logs / "config.json"
        words = shlex.join([*program(Path(sys.argv[0]).name), *sys.argv[1:]])
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
        if self._started_from:
            content[STARTED_FROM] = [dataclasses.asdict(point) for point in self._started_from]
        whole_file(file, json.dumps(content, indent=1).encode())

    def _greet(self) -> None:
        say, config = self._telemetry.say, self.config
        say(self.solver.game.rules.describe())
        say(
            f"run {self.places.name}: {config.network} network, "
            f"{self.solver.advantage_nets[0].num_parameters:,} parameters, {self._device}"
        )
        for point in self._started_from:
            changed = "; ".join(point.changed) or "no setting changed"
            say(f"started from iteration {point.iteration} of {point.run}: {changed}")
        for note in self._notes:
            say(note)
        workers = self.solver.workers.report().workers
        if workers > config.chunks:
            say(
                f"note: there are {workers} workers and {config.chunks} chunks of a round to be "
                "made; --chunks, a setting of new runs, gives more of them work"
            )
        if self.solver.t >= config.iterations:
            say(f"{self.solver.t} iterations are done already; --iterations asks for more")
            return
        hours = self._forecast.hours(self.solver.t + 1, config.iterations)
        if hours > 1 and not config.validation_fraction:  # else fits end early
            say(f"fitting will take about {hours:,.0f} hours on this machine")
        if hours > LONG_HOURS and not config.validation_fraction:
            say("a smaller preset or --updates, --batch-size and --iterations bring it down")
        say(COMPILING)

    def _say_goodbye(self) -> None:
        solver, say = self.solver, self._telemetry.say
        models = model_folders(self.places.checkpoints)
        say(
            f"\n{solver.t} iterations, {solver.nodes_touched:,} nodes touched, "
            f"{self._wall_s() / 60:.1f} minutes"
        )
        say(f"logs    {self.places.logs}   (tensorboard --logdir {self.places.logs.parent})")
        if models:
            say(f"model   {models[-1]}")
        elif solver.t:
            say(f"model   none yet; {self._resume_command(solver.t)} makes one")
        is_done = solver.t >= self.config.iterations
        say(f"go on   {self._resume_command(2 * solver.t if is_done else None)}")

    def _resume_command(self, iterations: int | None) -> str:
        return resume_command(self.places, self.config, iterations)
