"""What the deviations from plain Deep CFR are worth: each switched off alone, at equal time.

    python benchmarks/deviations.py --preset fhp --minutes 6 -- --threads 1
    python benchmarks/deviations.py --preset standard --minutes 30 --hands 160000

Trains a preset as it is, the same with one deviation (docs/algorithm.md) switched off, and plain
Deep CFR, which has none of them, each for so many minutes of wall time. Every last model is
evaluated as evaluate.py does it: exactly where the game allows it, else by local best response on
the same boards, and then the interval is that of the difference to the preset. Options of train.py
follow after `--`. Runs that are done are not trained again.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":
    sys.path[0] = str(ROOT)

from tqdm import tqdm

from benchmarks.measuring import machine
from benchmarks.scripts import INTERRUPTED, ScriptError, Stopped, call_script
from commands.train_options import parse
from deep_cfr.config import Config, ConfigError
from deep_cfr.presets import PRESETS
from env.rules import RulesError, parse_rules
from evaluation.settings import EXACT, Settings
from models.layout import models_at, read_info
from models.storage import StorageError

AS_IT_IS = "preset"
SINGLE_DEALS = ["--boards=0", "--board-hands=0"]
# What is switched off (number of the deviation) and how. A preset is trained with those that change
# something in it.
VARIANTS: dict[str, list[str]] = {
    AS_IT_IS: [],
    "no solved last streets (14)": ["--last-street-subgames=0", "--turn-subgames=0"],
    "networks fitted in every iteration (13)": ["--refit-every=1"],
    "one round per iteration (13)": ["--rounds=1"],
    "no strength regression (12)": ["--no-strength-regression"],
    "single deals (11)": SINGLE_DEALS,
    "no strength input (10, 12)": ["--no-strength"],
    "linear weights (15)": ["--weighting=linear"],
    "plain Deep CFR (10 to 15)": [
        "--no-strength",
        "--last-street-subgames=0",
        "--turn-subgames=0",
        "--weighting=linear",
        *SINGLE_DEALS,
    ],
}


@dataclass(frozen=True)
class Plan:
    """What is trained, for how long, and how it is judged."""

    preset: str
    minutes: float
    hands: int  # of local best response
    options: list[str]  # for train.py
    checkpoints: Path
    logdir: Path

    def variants(self) -> list[str]:
        """The names of those that change a setting of the preset."""
        known = self._config([])
        names = [name for name, flags in VARIANTS.items() if self._config(flags) != known]
        return [AS_IT_IS, *names]

    @property
    def is_exact(self) -> bool:
        """Whether the game is small enough for its exploitability."""
        return Settings().method_for(parse_rules(self._config([]).game)) == EXACT

    def run(self, name: str) -> Path:
        """The folder of one variant's run."""
        words = "".join(letter if letter.isalnum() else " " for letter in name).split()
        return self.checkpoints / "-".join([self.preset, "without", *words])

    def train(self, name: str) -> Path:
        """The last model of a variant, trained if it is not there yet."""
        run = self.run(name)
        if not run.exists():
            places = ["--checkpoints", str(self.checkpoints), "--logdir", str(self.logdir)]
            start = ["--preset", self.preset, "--run-name", run.name]
            limit = ["--iterations=65535", "--max-minutes", str(self.minutes)]
            call_script(["train.py", *start, *limit, *self.options, *VARIANTS[name], *places])
        return models_at(run)[-1]

    def _config(self, flags: list[str]) -> Config:
        return parse(["--preset", self.preset, *self.options, *flags]).config()


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    variant: str
    iterations: int
    exploitability_mbb: float
    interval_mbb: float  # 0: exact
    worse_by_mbb: float  # than the preset
    worse_interval_mbb: float
    claim: str  # what the figures say of the exploitability


def evaluated(plan: Plan, variant: str, model: Path, base: Path) -> Row:
    """A model's exploitability, and how much larger it is than that of the preset's model."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        models = [str(model), str(base)] if model != base else [str(model)]
        words = ["evaluate.py", *models, "--json", str(file), "--logdir", folder]
        call_script([*words, *([] if plan.is_exact else ["--hands", str(plan.hands)])])
        found: Any = json.loads(file.read_text())
    own = found["models"][0] if "models" in found else found
    difference = found.get("difference", {})
    return Row(
        variant=variant,
        iterations=int(read_info(model)["iteration"]),
        exploitability_mbb=own["exploitability_mbb"],
        interval_mbb=own["interval_mbb"],
        worse_by_mbb=difference.get("mbb", 0.0),
        worse_interval_mbb=difference.get("interval_mbb", 0.0),
        claim=own["kind"],
    )


def table(plan: Plan, rows: list[Row]) -> str:
    """One line for each variant."""
    lines = [f"{plan.preset}, {plan.minutes:g} minutes each; mbb/g, {rows[0].claim}"]
    lines.append(f"{'':<42}{'iterations':>12}{'exploitability':>20}{'worse by':>20}")
    for row in rows:
        cells = _with_interval(row.exploitability_mbb, row.interval_mbb)
        worse = _with_interval(row.worse_by_mbb, row.worse_interval_mbb)
        worse = "" if row.variant == AS_IT_IS else worse
        lines.append(f"{row.variant:<42}{row.iterations:>12,}{cells:>20}{worse:>20}")
    return "\n".join(lines)


def _with_interval(value: float, interval: float) -> str:
    return f"{value:,.1f} ± {interval:,.1f}" if interval else f"{value:,.1f}"


def measure(plan: Plan) -> list[Row]:
    """Every variant trained and evaluated, under a progress bar on a terminal."""
    rows: list[Row] = []
    base = plan.run(AS_IT_IS)
    with tqdm(plan.variants(), unit=" run", disable=None, leave=False) as bar:
        for variant in bar:
            bar.set_description(variant)
            model = plan.train(variant)
            base = model if variant == AS_IT_IS else base
            rows.append(evaluated(plan, variant, model, base))
    return rows


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    """The command line; what follows after `--` is `options`."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--preset", default="fhp", choices=PRESETS, help="what is trained [fhp]")
    parser.add_argument("--minutes", type=float, default=10.0, help="for each variant [10]")
    parser.add_argument("--hands", type=int, default=40_000, help="of local best response [40000]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures here")
    parser.add_argument("--checkpoints", type=Path, default=Path("checkpoints"), metavar="FOLDER")
    parser.add_argument("--logdir", type=Path, default=Path("runs"), metavar="FOLDER")
    parser.add_argument("options", nargs="*", help="after --: options of train.py")
    given = parser.parse_args(arguments)
    if not given.minutes > 0 or given.hands < 1:
        parser.error("--minutes and --hands must be positive")
    if given.json and not given.json.parent.is_dir():
        parser.error(f"--json: there is no folder {given.json.parent}")
    return given


def main(arguments: list[str]) -> int:
    given = parse_arguments(arguments)
    places = given.checkpoints, given.logdir
    plan = Plan(given.preset, given.minutes, given.hands, given.options, *places)
    try:
        rows = measure(plan)
    except (ScriptError, StorageError, ConfigError, RulesError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except Stopped:
        print("stopped; the same command goes on with the runs that are done", file=sys.stderr)
        return INTERRUPTED
    if given.json:
        found = {"machine": machine(), "rows": [asdict(row) for row in rows]}
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    print(table(plan, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
