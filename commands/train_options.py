"""The training command line: argv → settings. Knows nothing of TensorFlow, so --help is quick."""

from __future__ import annotations

import argparse
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commands.command_line import Parser
from commands.workers_option import add_workers, workers_of
from deep_cfr.config import Config, ConfigError
from deep_cfr.presets import DEFAULT_PRESET, PAPER_HOLDEM, PRESETS
from env.rules import parse_rules
from models.layout import EVALUATIONS, TOURNAMENTS
from workers.opening import WorkersSpec

DESCRIPTION = """Train Deep CFR for heads-up limit hold'em and its smaller relatives.

Watch with `tensorboard --logdir runs`. Ctrl-C gives up the iteration in hand, saves those before it
and stops; --resume goes on exactly as if the run had never stopped."""


@dataclass(frozen=True)
class Request:
    """What the command line asks for, besides the settings of the run."""

    overrides: dict[str, Any]  # settings named on the command line
    preset: str | None
    run_name: str | None
    resume: str | None
    logdir: Path | None  # None: runs/
    checkpoints: Path
    max_minutes: float | None
    workers: WorkersSpec

    def config(self, saved: Config | None = None) -> Config:
        """The settings: the saved run's or the preset's, with the named ones changed."""
        base = saved or PRESETS[self.preset or DEFAULT_PRESET][1]
        game = self.overrides.get("game", base.game)
        if saved is None and self.preset == "paper" and game.startswith("hulh"):
            base = dataclasses.replace(base, **PAPER_HOLDEM)
        config = dataclasses.replace(base, **self.overrides)
        return config.for_game(parse_rules(config.game), self.overrides)


def parse(arguments: list[str]) -> Request:
    """Read the command line; argparse ends the program on what it cannot read."""
    parser = _parser()
    given = vars(parser.parse_args(arguments))
    settings = {field.name for field in dataclasses.fields(Config)}
    overrides = {name: value for name, value in given.items() if name in settings}
    rest = {name: value for name, value in given.items() if name not in settings}
    if rest["resume"] and (rest["preset"] or rest["run_name"]):
        raise ConfigError("--resume goes on with a run as it is; leave out --preset and --run-name")
    if rest["resume"] == "":
        raise ConfigError("--resume needs the name or the folder of a run")
    if rest["max_minutes"] is not None and not 0 < rest["max_minutes"] < float("inf"):
        raise ConfigError(f"--max-minutes is {rest['max_minutes']}, but must be positive")
    if rest["run_name"] and Path(rest["run_name"]).name != rest["run_name"]:
        raise ConfigError(f"--run-name is a plain name, not a path: {rest['run_name']!r}")
    if str(rest["run_name"]).casefold() in (EVALUATIONS, TOURNAMENTS):
        raise ConfigError(f"--run-name cannot be {rest['run_name']!r}, a folder for other logs")
    workers = workers_of(rest.pop("workers"), rest.pop("worker_timeout"))
    return Request(overrides=overrides, workers=workers, **rest)


def _parser() -> Parser:
    presets = "\n".join(f"  {name:<9} {about}" for name, (about, _) in PRESETS.items())
    parser = Parser(
        prog="train.py",
        description=DESCRIPTION,
        epilog=f"presets:\n{presets}\n\nDefaults in brackets are those of {DEFAULT_PRESET}.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run = parser.add_argument_group("the run")
    run.add_argument("--preset", choices=PRESETS, help=f"settings to start from [{DEFAULT_PRESET}]")
    run.add_argument("--run-name", help="name of the run's folders [preset and time]")
    run.add_argument("--resume", metavar="RUN", help="go on with this run (name or folder)")
    run.add_argument(
        "--max-minutes",
        type=float,
        metavar="MIN",
        help="stop in time to have the closing model by then; at least one iteration is made",
    )
    run.add_argument("--logdir", type=Path, help="logs go here [runs]")
    run.add_argument(
        "--checkpoints",
        type=Path,
        default=Path("checkpoints"),
        help="models go here [checkpoints]",
    )
    add_workers(run)
    settings = parser.add_argument_group("settings")
    for field in dataclasses.fields(Config):
        _add_setting(settings, field)
    return parser


def _add_setting(group: argparse._ArgumentGroup, field: dataclasses.Field[Any]) -> None:
    flag = "--" + field.name.replace("_", "-")
    default = getattr(PRESETS[DEFAULT_PRESET][1], field.name)
    about = f"{field.metadata['help']} [{default}]".replace("%", "%%")
    if isinstance(field.default, bool):
        group.add_argument(
            flag, action=argparse.BooleanOptionalAction, help=about, default=argparse.SUPPRESS
        )
        return
    group.add_argument(
        flag,
        type=type(field.default),
        help=about,
        default=argparse.SUPPRESS,
        metavar=None if field.metadata["choices"] else type(field.default).__name__.upper(),
        choices=field.metadata["choices"] or None,
    )
