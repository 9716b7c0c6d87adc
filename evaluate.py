"""How exploitable is a model: `python evaluate.py --help`."""

from __future__ import annotations

import os
import sys

from commands.evaluate_options import parse
from commands.evaluate_target import find_targets
from commands.slow_imports import load_quietly
from env.compiler import TreeTooLarge
from models.messages import one_line


def main(arguments: list[str] | None = None) -> int:
    """Run the command; one line on stderr and exit code 2 for what makes no sense."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    try:
        request = parse(sys.argv[1:] if arguments is None else arguments)
        targets = find_targets(request)  # what makes no sense is refused before TensorFlow loads
        exit_code: int = load_quietly("commands.evaluate").run(request, targets)
    except (ValueError, TreeTooLarge, OSError) as error:
        print(f"error: {one_line(error)}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"error: too little memory: {one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; models evaluated before this one keep their results", file=sys.stderr)
        return 130
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
