"""The other end of `workers.local`: a process that does tasks until its pipe is closed.

Requests come on standard input and answers go to what was standard output; what tasks print goes
to standard error. A thread reads the pipe all the time. When the pipe ends, because whoever asked
has closed it or is dead, this process ends at once, in the middle of a task as well.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from typing import Any, BinaryIO

from workers.packing import Packed, pack, read, unpack, write
from workers.performing import Performer


def main() -> None:
    """Serve requests."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    waiting: queue.SimpleQueue[Packed] = queue.SimpleQueue()
    threading.Thread(target=_read_all, args=(requests, waiting), daemon=True).start()
    performer = Performer()
    write(answers, pack(os.getpid()))
    while True:
        request: Any = unpack(waiting.get())
        write(answers, performer.answer(request))


def _read_all(requests: BinaryIO, waiting: queue.SimpleQueue[Packed]) -> None:
    try:
        while True:
            waiting.put(read(requests))
    finally:  # nobody is there any more
        os._exit(0)
