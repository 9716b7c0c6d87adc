"""Play against an agent, in the terminal or in a browser: `python play.py --help`."""

from __future__ import annotations

import os
import sys

from commands.play_options import parse
from env.compiler import TreeTooLarge
from models.messages import one_line


def main(arguments: list[str] | None = None) -> int:
    """Run the command; one line on stderr and exit code 2 for what makes no sense."""
    try:
        request = parse(sys.argv[1:] if arguments is None else arguments)
        from commands import play  # noqa: PLC0415 - loads kernels, which is slow

        code = play.run(request)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read the output has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, TreeTooLarge, OSError) as error:
        print(f"error: {one_line(error)}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"error: too little memory: {one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped before anything was played", file=sys.stderr)
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
