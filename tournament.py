"""Every agent against every other: `python tournament.py --help`."""

from __future__ import annotations

import sys

from commands.tournament_options import parse, refuse_unplayable
from env.compiler import TreeTooLarge
from models.messages import one_line


def main(arguments: list[str] | None = None) -> int:
    """Run the command; one line on stderr and exit code 2 for what makes no sense."""
    try:
        request = parse(sys.argv[1:] if arguments is None else arguments)
        refuse_unplayable(request)
        from commands import tournament  # noqa: PLC0415 - loads kernels and charts, which is slow

        return tournament.run(request)
    except (ValueError, TreeTooLarge, OSError) as error:
        print(f"error: {one_line(error)}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(
            f"error: too little memory: {one_line(error)}; a smaller --batch helps", file=sys.stderr
        )
        return 2
    except KeyboardInterrupt:
        print("stopped before anything was played", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
