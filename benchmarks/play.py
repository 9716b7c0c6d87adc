"""How many tables one server carries: fifty pages at once, and how long each answer takes.

The server runs in a process of its own with everything that people get: storage, checks, a
WebSocket for each page. A page answers at once, with a random legal action. The answer time is from
its message to the state in which it may act again or the hand is over; a deal whose first decision
is the opponent's counts as well.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from benchmarks.measuring import Figure, measure, parse_arguments, report

ROOT = Path(__file__).resolve().parent.parent
PAGES = 50
WARM_UP = 20  # answers of each page that do not count: the opponent and its kernels are loaded
Json = dict[str, Any]


async def settled(socket: ClientConnection) -> Json:
    """The next state in which the page may act."""
    while True:
        message: Json = json.loads(await socket.recv())
        if message["type"] == "error":
            raise RuntimeError(message["text"])
        if message["type"] == "state" and message["to_act"] != "opponent":
            return message


def answer_to(state: Json, rng: random.Random) -> Json:
    """A random action, or the next hand."""
    named = {"session": state["session"], "hand": state["hand"]}
    if state["result"] is not None:
        return {"type": "next", **named}
    action = rng.choice(state["choices"])["action"]
    return {"type": "act", **named, "step": state["step"], "action": action}


async def play(address: str, wish: Json, seed: int, seconds: float) -> list[float]:
    """One page for a while; how long each of its answers took after the first ones."""
    rng = random.Random(seed)
    times: list[float] = []
    origin = Origin(address.rstrip("/"))
    async with connect(f"{address.replace('http', 'ws')}ws", origin=origin) as socket:
        await socket.send(json.dumps({"type": "new", "random": 0, **wish}))
        state, left, end = await settled(socket), WARM_UP, 0.0
        while left or len(times) < 2 or time.perf_counter() < end:
            start = time.perf_counter()
            await socket.send(json.dumps(answer_to(state, rng)))
            state = await settled(socket)
            if left:
                left -= 1
                end = time.perf_counter() + seconds
            else:
                times.append(time.perf_counter() - start)
    return times


async def play_all(address: str, wish: Json, pages: int, seconds: float) -> list[list[float]]:
    """Several pages side by side; the answer times of each."""
    return await asyncio.gather(*(play(address, wish, seed, seconds) for seed in range(pages)))


def figures(
    address: str, name: str, meaning: str, wish: Json, pages: int, seconds: float
) -> list[Figure]:
    """Answers per second and answer times of some pages."""
    by_page = asyncio.run(play_all(address, wish, pages, seconds))
    answers = sum(len(times) / sum(times) for times in by_page)
    times = [one for own in by_page for one in own]
    count = f"{pages} pages" if pages > 1 else "one page"
    return [
        Figure(f"{name}_per_s", f"{count}, {meaning}: answers", answers, "/s"),
        Figure(f"{name}_median_ms", "  median answer time", 1000 * median(times), "ms"),
        Figure(f"{name}_p95_ms", "  95th percentile", 1000 * quantiles(times, n=20)[-1], "ms"),
    ]


@contextmanager
def serving() -> Iterator[str]:
    """A server with a file of sessions of its own; its address."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "checkpoints").symlink_to(ROOT / "checkpoints")
        command = [sys.executable, str(ROOT / "play.py"), "--web", "--no-browser", "--port=0"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                yield server.stdout.readline().split()[-1]
            finally:
                server.terminate()


def main() -> None:
    arguments = parse_arguments(__doc__ or "")
    model: Json = {"opponent": "pretrained/hulh", "search": False}
    search: Json = {"opponent": "pretrained/hulh", "search": True}
    with serving() as address:
        measured = partial(figures, address, seconds=arguments.seconds)
        steps: list[Callable[[], list[Figure]]] = [
            partial(measured, "model", "the hulh model", model, PAGES),
            partial(measured, "search", "the same with search", search, PAGES),
            partial(measured, "one_model", "the hulh model", model, 1),
            partial(measured, "one_search", "the same with search", search, 1),
        ]
        found = measure(steps)
    report(found, arguments.json)


if __name__ == "__main__":
    main()
