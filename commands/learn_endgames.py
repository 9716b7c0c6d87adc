"""Learn the last streets of a saved model anew, from solved subgames.

    python -m commands.learn_endgames checkpoints/pretrained/fhp my-fhp --last-street-subgames 8000

solves subgames with the ranges that the model brings there and writes a model that plays earlier
streets as before. A training run does the same for each of its models, with the settings of these
names; this command needs a model only.
"""

from __future__ import annotations

import dataclasses
import shlex
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from commands.command_line import Parser
from commands.progress_bars import Bars
from commands.workers_option import add_workers, workers_of
from deep_cfr.config import Config, ConfigError
from deep_cfr.endgame.shape import subgames_by_street
from deep_cfr.networks.quiet import quiet_without_gpu
from models.layout import models_at, read_info
from models.loading import load_model
from models.model_card import write_card
from models.origin import MADE_OF, Origin, origin_of
from models.shown_paths import portable_text
from models.storage import StorageError
from models.versions import versions
from workers.opening import opened

SETTINGS = ("last_street_subgames", "turn_subgames", "endgame_width", "endgame_updates")
OF_THE_OLD_MODEL = ("evaluations", "head_to_head", "metrics", "origin")
PURPOSE = 4  # of randomness; runs use other numbers


def main(arguments: list[str] | None = None) -> int:
    """Run the command; one line on stderr and exit code 1 for what cannot be learned."""
    given = parsed(sys.argv[1:] if arguments is None else arguments)
    try:
        learn(given)
    except (ConfigError, StorageError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; nothing is written", file=sys.stderr)
        return 130
    return 0


def parsed(arguments: list[str]) -> Namespace:
    """The options."""
    parser = Parser(prog="python -m commands.learn_endgames", description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path, help="a model's folder, or a run for its newest model")
    parser.add_argument("target", type=Path, help="the folder to make; it must not be there yet")
    fields = {field.name: field for field in dataclasses.fields(Config)}
    for name in SETTINGS:
        default = fields[name].default
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=int,
            default=default,
            metavar="N",
            help=f"{fields[name].metadata['help']} [{default}]",
        )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the subgames [0]")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="0 = all [0]")
    add_workers(parser)
    return parser.parse_args(arguments)


def learn(given: Namespace) -> None:
    """Solve, fit, and write the model."""
    folder = models_at(given.model)[-1]
    if given.target.exists():
        raise StorageError(f"{given.target} is there already; nothing written")
    info = read_info(folder)
    with quiet_without_gpu():
        from deep_cfr.endgame.learner import EndgameLearner  # noqa: PLC0415 - loads TensorFlow
        from deep_cfr.endgame.policy import ByStreet  # noqa: PLC0415
        from deep_cfr.networks import device  # noqa: PLC0415
        from deep_cfr.networks.network_policy import NetworkPolicy  # noqa: PLC0415
        from models.saving import write_model  # noqa: PLC0415
    device.prepare(given.threads, "paper")  # endgame networks have the layers of this one
    changes = {name: getattr(given, name) for name in SETTINGS}
    saved = load_model(folder)
    config = dataclasses.replace(saved.description.config, **changes)
    if not subgames_by_street(config, saved.game.rules):
        raise ConfigError(
            f"nothing to learn in {saved.game.rules.name}: say how many subgames to solve, in "
            "hold'em, with --last-street-subgames or --turn-subgames"
        )
    start, bars = time.perf_counter(), Bars()
    raw = saved.policy.raw
    base = raw.base if isinstance(raw, ByStreet) else raw
    if not isinstance(base, NetworkPolicy):
        raise TypeError("the model has no strategy network")  # every saved model has one
    key = [given.seed, PURPOSE, saved.description.iteration]
    with opened(workers_of(given.workers, given.worker_timeout)) as workers:
        learner = EndgameLearner(config, base.network.encoding, bars, workers)
        learned = learner.learn(base, key)
    bars.close()
    origin = dataclasses.replace(origin_of(folder), learned_with=_command(given))
    origin = dataclasses.replace(origin, wall_s=(origin.wall_s or 0) + time.perf_counter() - start)
    write_model(given.target, _described(info, config, origin), base.network, learned.networks)
    for street, distance in learned.distances.items():
        name = saved.game.rules.street_names[street]
        print(f"{name}: squared distance {distance.unseen:.4f} to solutions not learned from,")
        print(f"{' ' * len(name)}  {distance.seen:.4f} to those learned from")
    print(write_card(given.target))


def _command(given: Namespace) -> str:
    """What to type for the same model."""
    asked = {name: getattr(given, name) for name in SETTINGS if getattr(given, name)}
    options = [f"--{name.replace('_', '-')} {value}" for name, value in asked.items()]
    words = f"python -m commands.learn_endgames {shlex.quote(str(given.model))} MODEL"
    return portable_text(" ".join([words, *options, f"--seed {given.seed}"]))


def _described(info: dict[str, Any], config: Config, origin: Origin) -> dict[str, Any]:
    """The model.json of the new model; what was measured of the old one is left out."""
    kept = {name: value for name, value in info.items() if name not in OF_THE_OLD_MODEL}
    return kept | {
        "config": dataclasses.asdict(config),
        "metrics": {},
        "versions": versions(),
        MADE_OF: origin.to_json(),
    }


if __name__ == "__main__":
    sys.exit(main())
