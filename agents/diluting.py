"""Weaker agents: `diluted:20:AGENT` plays a fifth of its decisions at random."""

from __future__ import annotations

from agents.agent import AgentError
from agents.names import DILUTED_PREFIX


def is_diluted(text: str) -> bool:
    """Whether a text given for an agent names a diluted one."""
    return text.startswith(DILUTED_PREFIX)


def parse_diluted(text: str) -> tuple[int, str]:
    """The percentage of random decisions and the agent that makes the others."""
    percent, colon, inner = text.removeprefix(DILUTED_PREFIX).partition(":")
    if not colon or not (percent.isascii() and percent.isdigit()) or len(percent) > 3:
        raise AgentError(f"{text} is not readable; write {DILUTED_PREFIX}PERCENT:AGENT")
    if int(percent) > 100:
        raise AgentError(f"{text}: {percent} is more than 100 per cent")
    if is_diluted(inner):
        raise AgentError(f"{text} is diluted twice; once is enough")
    return int(percent), inner


def diluted(percent: int, inner: str) -> str:
    """The inverse of `parse_diluted`; an agent with no random decisions is itself."""
    return f"{DILUTED_PREFIX}{percent}:{inner}" if percent else inner
