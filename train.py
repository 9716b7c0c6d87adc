"""Train Deep CFR: `python train.py --help`."""

from __future__ import annotations

import os
import sys

from commands.train_options import parse
from deep_cfr.config import ConfigError
from deep_cfr.networks.quiet import quiet_without_gpu
from env.compiler import TreeTooLarge
from env.rules import RulesError


def main(arguments: list[str]) -> int:
    """Run the command; one line on stderr and exit code 2 for what makes no sense."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        request = parse(arguments)
        if not request.resume:
            request.config()  # bad settings are refused before TensorFlow loads
        with quiet_without_gpu():
            from commands import train  # noqa: PLC0415 - loads TensorFlow

        return train.run(request)
    except (ConfigError, RulesError, TreeTooLarge, ArithmeticError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"error: too little memory: {error}; smaller memories help", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped at once; --resume goes on from the last save", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
