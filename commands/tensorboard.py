"""`python -m commands.tensorboard`: TensorBoard without TensorFlow's messages."""

from __future__ import annotations

from commands.slow_imports import load_quietly


def main() -> None:
    """Start TensorBoard with the arguments of the command line; it would load TensorFlow itself."""
    load_quietly("tensorflow")
    load_quietly("tensorboard.main").run_main()


if __name__ == "__main__":
    main()
