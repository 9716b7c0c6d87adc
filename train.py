"""Train Deep CFR: `python train.py --help`."""

from __future__ import annotations

import os
import sys

from commands.train_options import parse
from commands.train_places import claimed
from deep_cfr.config import ConfigError
from deep_cfr.networks.quiet import quiet_without_gpu
from env.compiler import TreeTooLarge
from env.extensions import ExtensionError
from env.rules import RulesError
from models.messages import one_line
from training.console import complain, open_closed_streams
from workers.opening import opened


def main(arguments: list[str] | None = None) -> int:
    """Run the command; one line on stderr and exit code 2 for what makes no sense."""
    open_closed_streams()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        request = parse(sys.argv[1:] if arguments is None else arguments)
        with (
            opened(request.workers, complain) as workers,
            claimed(request) as (places, config, source),
        ):
            with quiet_without_gpu():
                from commands import train  # noqa: PLC0415 - loads TensorFlow

            return train.run(request, places, config, source, workers)
    except (
        ConfigError,
        RulesError,
        ExtensionError,
        TreeTooLarge,
        ArithmeticError,
        OSError,
    ) as error:
        complain(f"error: {one_line(error)}")
        return 2
    except MemoryError as error:
        complain(f"error: too little memory: {one_line(error)}; smaller memories help")
        return 2
    except KeyboardInterrupt:
        complain("stopped at once; what was saved before stays, and --resume goes on from there")
        return 130


if __name__ == "__main__":
    sys.exit(main())
