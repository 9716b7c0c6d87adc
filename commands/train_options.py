"""The training command line: argv → settings. Knows nothing of TensorFlow, so --help is quick."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commands.command_line import Parser
from commands.outputs import named_path
from commands.settings_file import as_flags, is_saved, saved_settings
from commands.workers_option import add_workers, workers_of
from deep_cfr.config import Config, ConfigError
from deep_cfr.presets import DEFAULT_PRESET, PAPER_HOLDEM, PRESETS
from env.extensions import is_extension
from env.own_game import names_own_game, rules_named
from models.layout import EVALUATIONS, TOURNAMENTS
from workers.opening import WorkersSpec

DESCRIPTION = """Train Deep CFR for heads-up limit hold'em and its smaller relatives.

Watch with `tensorboard --logdir runs`. Ctrl-C gives up the iteration in hand, saves those before it
and stops; --resume goes on exactly as if the run had never stopped."""


@dataclass(frozen=True)
class Request:
    """What the command line asks for, besides the settings of the run."""

    overrides: dict[str, Any]  # settings named on the command line or in a TOML file
    base: Config | None  # all settings, from a run's config.json
    preset: str | None
    run_name: str | None
    resume: str | None
    source: str | None  # the run to start from
    logdir: Path | None  # None: runs/
    checkpoints: Path
    max_minutes: float | None
    workers: WorkersSpec

    def config(self, saved: Config | None = None) -> Config:
        """The settings: the file's, the saved run's or the preset's, with named ones changed.

        Runs the code of a game of the user's own.
        """
        if found := self.base or saved:
            refuse_code_named_by_a_file(found.game, found.network, self.overrides)
        base = found or PRESETS[self.preset or DEFAULT_PRESET][1]
        game = self.overrides.get("game", base.game)
        if saved is None and self.preset == "paper" and game.startswith("hulh"):
            base = dataclasses.replace(base, **PAPER_HOLDEM)
        config = dataclasses.replace(base, **self.overrides)
        return config.for_game(rules_named(config.game), self.overrides)


def refuse_code_named_by_a_file(game: str, network: str, named: Collection[str]) -> None:
    """A game or network in a user's file is imported only if the command line names it."""
    for name, value, is_own in (
        ("game", game, names_own_game(game)),
        ("network", network, is_extension(network)),
    ):
        if is_own and name not in named:
            raise ConfigError(
                f"the saved {name} is {value}, in a file of somebody's own, which is imported "
                f"only if you name it again: --{name} {value}"
            )


def parse(arguments: list[str]) -> Request:
    """Read the command line; argparse ends the program on what it cannot read."""
    parser = _parser()
    given = vars(parser.parse_args(arguments))
    settings = {field.name for field in dataclasses.fields(Config)}
    base, file = None, given["config"]
    if file is not None and given["resume"] is not None:
        raise ConfigError("--resume goes on with a run as it is; leave out --config")
    if file is not None and is_saved(file):
        base = _saved_base(file, given["from"])
    elif file is not None:
        in_file = as_flags(file, given.keys() - settings - {"config", "resume"})
        held = vars(parser.parse_args(in_file))
        refuse_code_named_by_a_file(held.get("game", ""), held.get("network", ""), given)
        given = vars(parser.parse_args([*in_file, *arguments]))
    overrides = {name: value for name, value in given.items() if name in settings}
    rest = {name: value for name, value in given.items() if name not in {*settings, "config"}}
    if base and rest["preset"]:
        raise ConfigError(f"{file} holds every setting already; leave out --preset")
    rest["source"] = rest.pop("from")
    _refuse_nonsense(rest)
    workers = workers_of(rest.pop("workers"), rest.pop("worker_timeout"))
    return Request(overrides=overrides, base=base, workers=workers, **rest)


def _saved_base(file: Path, source: str | None) -> Config:
    """All settings of a saved run; what it started from is for the command line to say again."""
    saved = saved_settings(file)
    if saved.started_from and source is None:
        point = saved.started_from[-1]
        raise ConfigError(
            f"{file} is of a run that started from iteration {point.iteration} of {point.run}; "
            "name that run with --from as well"
        )
    return saved.config


def _refuse_nonsense(rest: dict[str, Any]) -> None:
    """Refuse options that cannot be meant, alone or together."""
    if rest["resume"] and (rest["preset"] or rest["run_name"] or rest["source"]):
        raise ConfigError(
            "--resume goes on with a run as it is; leave out --preset, --run-name and --from"
        )
    if rest["source"] and rest["preset"]:
        raise ConfigError("--from starts with the settings of that run; leave out --preset")
    for name in ("resume", "source"):
        if rest[name] == "":
            flag = {"resume": "--resume", "source": "--from"}[name]
            raise ConfigError(f"{flag} needs the name or the folder of a run")
    if rest["max_minutes"] is not None and not 0 < rest["max_minutes"] < float("inf"):
        raise ConfigError(f"--max-minutes is {rest['max_minutes']}, but must be positive")
    if rest["run_name"] and Path(rest["run_name"]).name != rest["run_name"]:
        raise ConfigError(f"--run-name is a plain name, not a path: {rest['run_name']!r}")
    if str(rest["run_name"]).casefold() in (EVALUATIONS, TOURNAMENTS):
        raise ConfigError(f"--run-name cannot be {rest['run_name']!r}, a folder for other logs")


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
    run.add_argument(
        "--config",
        type=named_path,
        metavar="FILE",
        help="flags from a TOML file (iterations = 400; flags given here win), or the config.json "
        "of a run to make it again",
    )
    run.add_argument("--run-name", help="name of the run's folders [preset and time]")
    run.add_argument("--resume", metavar="RUN", help="go on with this run (name or folder)")
    run.add_argument(
        "--from",
        metavar="RUN",
        help="start a new run with the networks, memories and settings of another (name or "
        "folder); flags change settings",
    )
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
        metavar=_metavar(field),
        choices=None if field.metadata["takes_own"] else field.metadata["choices"] or None,
    )


def _metavar(field: dataclasses.Field[Any]) -> str | None:
    """What stands for the value in the help; None where the choices do."""
    if field.metadata["takes_own"]:
        return "|".join((*field.metadata["choices"], "MODULE:NAME"))
    return None if field.metadata["choices"] else type(field.default).__name__.upper()
