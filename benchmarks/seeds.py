"""How much of a result is luck: one preset trained with several seeds, each last model evaluated.

    python benchmarks/seeds.py --preset kuhn --seeds 5
    python benchmarks/seeds.py --preset leduc --seeds 3 --json leduc.json -- --iterations 100

Options of train.py follow after `--`. Every seed is a run of its own, named after preset and seed.
Seeds that are done are not trained again and one that was interrupted goes on, so the same command
may be given again, also with more seeds. The last model of each run is evaluated as evaluate.py
does without further options: exactly where the game allows it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path[0] = str(ROOT)

from tqdm import tqdm

from benchmarks.measuring import machine
from benchmarks.scripts import INTERRUPTED, ScriptError, Stopped, call_script
from commands.train_options import Request, parse
from deep_cfr.config import Config, ConfigError
from deep_cfr.presets import PRESETS
from env.rules import RulesError, parse_rules
from evaluation.settings import Settings
from models.description import described
from models.layout import is_model, model_folder, read_info
from models.measurements import Measurements
from models.records import ExploitabilityRecord, most_precise
from models.run_state import RunState, latest_state


class SeedError(Exception):
    """A seed that cannot be trained or evaluated; the message is one line."""


@dataclass(frozen=True)
class Result:
    """What came of one seed."""

    seed: int
    run: str
    iterations: int
    nodes_touched: int | None
    minutes: float  # of the whole run, with saving and measuring
    method: str  # by which the last model was evaluated
    claim: str  # what the figure says of the exploitability
    exploitability_mbb: float


@dataclass(frozen=True)
class Plan:
    """What is to be trained with every seed, and where it is kept."""

    preset: str
    options: list[str]  # for train.py
    checkpoints: Path
    logdir: Path

    def run(self, seed: int) -> Path:
        """The folder of one seed's run."""
        return self.checkpoints / f"{self.preset}-seed-{seed}"

    def config(self, seed: int) -> Config:
        """The settings of one seed's run; `ConfigError` for options that make no sense here."""
        request = parse(["--preset", self.preset, *self.options])
        _refuse_own_options(self.preset, request)
        return parse(["--preset", self.preset, *self.options, "--seed", str(seed)]).config()

    def command(self, seed: int) -> list[str]:
        """The command line that starts or resumes one seed's run."""
        run = self.run(seed)
        start = ["--preset", self.preset, "--run-name", run.name]
        start = ["--resume", run.name] if run.exists() else start
        places = ["--checkpoints", str(self.checkpoints), "--logdir", str(self.logdir)]
        return ["train.py", *start, *self.options, "--seed", str(seed), *places]

    def result(self, seed: int) -> Result:
        """Train and evaluate one seed, as far as that is still to be done."""
        config, run = self.config(seed), self.run(seed)
        model = model_folder(run, config.iterations)
        if not run.exists() or not _is_done(run, config):
            call_script(self.command(seed))
        method = Settings().method_for(parse_rules(config.game))
        if not _evaluated(model, method):
            call_script(["evaluate.py", str(model), "--logdir", str(self.logdir)])
        about, state = described(read_info(model)), latest_state(run)
        (record,) = most_precise(_evaluated(model, method))
        return Result(
            seed=seed,
            run=str(run),
            iterations=about.iteration,
            nodes_touched=about.nodes_touched,
            minutes=round(state.progress.wall_s / 60, 2),
            method=method,
            claim=record.claim,
            exploitability_mbb=record.exploitability_mbb,
        )


def _evaluated(model: Path, method: str) -> list[ExploitabilityRecord]:
    """What evaluate.py has measured of a model by a method."""
    return [found for found in Measurements.of(model).evaluations if found.method == method]


def _refuse_own_options(preset: str, request: Request) -> None:
    """Options of train.py that every seed sets by itself, or that would end runs at odd times."""
    own = {
        "--preset": request.preset != preset,
        "--seed": "seed" in request.overrides,
        "--run-name": request.run_name is not None,
        "--checkpoints": request.checkpoints != Path("checkpoints"),
        "--logdir": request.logdir is not None,
        "--max-minutes": request.max_minutes is not None,
    }
    for option, given in own.items():
        if given:
            raise ConfigError(f"{option} cannot be passed on to train.py from here")


def _is_done(run: Path, config: Config) -> bool:
    """Whether a run has the model of its last iteration; an error if it is another run."""
    state = latest_state(run)
    _refuse_other(run, state, config)
    model = model_folder(run, config.iterations)
    if not is_model(model):
        return False
    fitted = Config.from_saved(read_info(model)["config"]).strategy_fit()
    if fitted != config.strategy_fit():
        raise SeedError(f"{model} was fitted with other settings of the strategy fit; move it away")
    return True


def _refuse_other(run: Path, state: RunState, config: Config) -> None:
    saved = state.config.for_game(parse_rules(state.config.game))
    changed = saved.differences(config)
    if changed:
        raise SeedError(
            f"{run} was trained with other settings ({'; '.join(changed)}); move it away, or name "
            "another folder with --checkpoints"
        )
    if state.t > config.iterations and not is_model(model_folder(run, config.iterations)):
        raise SeedError(f"{run} has gone on to iteration {state.t}; ask for as many --iterations")


def summary(values: Iterable[float]) -> dict[str, float | None]:
    """Mean, standard deviation over seeds (None for a single one), least and greatest."""
    numbers = list(values)
    spread = statistics.stdev(numbers) if len(numbers) > 1 else None
    return {
        "mean": statistics.fmean(numbers),
        "standard_deviation": spread,
        "min": min(numbers),
        "max": max(numbers),
    }


def report(plan: Plan, results: list[Result]) -> dict[str, Any]:
    """Everything that was found, as the JSON file holds it."""
    return {
        "preset": plan.preset,
        "options": plan.options,
        "machine": machine(),
        "seeds": [asdict(result) for result in results],
        "exploitability_mbb": summary(result.exploitability_mbb for result in results),
        "minutes": summary(result.minutes for result in results),
    }


def table(found: dict[str, Any]) -> str:
    """One line for each seed, then what they have in common."""
    lines = [f"{'':<20}{'mbb/g':>12}{'minutes':>10}"]
    for row in found["seeds"]:
        name = f"seed {row['seed']}"
        lines.append(f"{name:<20}{row['exploitability_mbb']:>12,.2f}{row['minutes']:>10,.1f}")
    strength, minutes = found["exploitability_mbb"], found["minutes"]
    for name, value in strength.items():
        cells = [("–" if x is None else f"{x:,.{n}f}") for x, n in ((value, 2), (minutes[name], 1))]
        lines.append(f"{name.replace('_', ' '):<20}{cells[0]:>12}{cells[1]:>10}")
    last = found["seeds"][-1]
    by = "" if last["method"] == last["claim"] else f" by {last['method']}"
    lines.append(f"exploitability ({last['claim']}{by}) after {last['iterations']} iterations")
    return "\n".join(lines)


def train_all(plan: Plan, seeds: int) -> list[Result]:
    """Every seed's result, under a progress bar on a terminal; a line as each seed is done."""
    results = []
    with tqdm(range(seeds), unit=" seed", disable=None, leave=False) as bar:
        for seed in bar:
            bar.set_description(f"{plan.preset}, seed {seed}")
            result = plan.result(seed)
            results.append(result)
            tqdm.write(
                f"seed {seed}: {result.exploitability_mbb:.2f} mbb/g ({result.claim}), "
                f"{result.minutes:.1f} minutes, {result.run}",
                file=sys.stdout,
            )
            sys.stdout.flush()
    return results


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """The command line; what follows after `--` is `options`."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--preset", required=True, choices=PRESETS, help="what is trained")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="seeds 0 to N − 1 [5]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures here")
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"), metavar="FOLDER")
    parser.add_argument("--logdir", type=Path, default=Path("runs"), metavar="FOLDER")
    parser.add_argument("options", nargs="*", help="after --: options of train.py")
    given = parser.parse_args(arguments)
    if given.seeds < 1:
        parser.error(f"--seeds is {given.seeds}, but must be positive")
    if given.json and not given.json.parent.is_dir():
        parser.error(f"--json: there is no folder {given.json.parent}")
    return given


def main(arguments: list[str]) -> int:
    given = parse_arguments(arguments)
    plan = Plan(given.preset, given.options, given.checkpoints, given.logdir)
    try:
        found = report(plan, train_all(plan, given.seeds))
        if given.json:
            given.json.write_text(json.dumps(found, indent=1) + "\n")
    except (SeedError, ScriptError, ConfigError, RulesError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Stopped:
        print("stopped; the same command goes on with what is saved", file=sys.stderr)
        return INTERRUPTED
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
