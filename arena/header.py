"""What a tournament is: its rules, its schedule and who takes part. The head of results.json."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from agents.agent import Agent, Source
from arena.schedule import Schedule
from env.rules import Rules
from models.layout import MODEL_FILE
from models.storage import file_digest

NOTE = (
    "mbb: thousandths of a big blind per hand that a wins from b; ci95: half the width of the 95 % "
    "interval, over deals, each played from both seats. All pairs play the same deals. pot: all "
    "chips in the middle at the end of a hand. agents of a pair: a, then b."
)


@dataclass(frozen=True)
class Entrant:
    """An agent as results.json describes it."""

    name: str
    source: Source  # "kind" in results.json
    spec: str  # what stands for it on the command line
    folder: str | None
    iteration: int | None
    sha256: str | None  # of the weights, where one file holds them, or of a user's bot

    @classmethod
    def of(cls, agent: Agent, spec: str) -> Entrant:
        """The description of an agent, with a digest that tells whether it was trained again."""
        file = agent.folder / MODEL_FILE if agent.folder is not None else agent.code
        return cls(
            name=agent.name,
            source=agent.source,
            spec=spec,
            folder=None if agent.folder is None else str(agent.folder),
            iteration=agent.iteration,
            sha256=file_digest(file) if file is not None and file.is_file() else None,
        )

    def to_json(self) -> dict[str, Any]:
        """Every field by its name, but `source` as "kind"."""
        values = dataclasses.asdict(self)
        return {"kind" if name == "source" else name: value for name, value in values.items()}

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> Entrant:
        """The inverse of `to_json`."""
        return cls(**{"source" if key == "kind" else key: entry[key] for key in entry})


@dataclass(frozen=True)
class Header:
    """Everything that is settled before the first hand."""

    rules: Rules
    schedule: Schedule
    agents: tuple[Entrant, ...]
    command: str
    started: str  # date and time
    versions: dict[str, str]  # by package
    note: str = NOTE

    def to_json(self) -> dict[str, Any]:
        """The first keys of results.json, in their order."""
        return {
            "note": self.note,
            "rules": self.rules.as_dict(),
            "settings": self.schedule.to_json(),
            "seed": self.schedule.seed,
            "agents": [agent.to_json() for agent in self.agents],
            "command": self.command,
            "started": self.started,
            "versions": self.versions,
        }

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Header:
        """The inverse of `to_json`; other keys of results.json are left alone."""
        return cls(
            rules=Rules.from_dict(content["rules"]),
            schedule=Schedule.from_json(content["settings"], content["seed"]),
            agents=tuple(Entrant.from_json(entry) for entry in content["agents"]),
            command=content["command"],
            started=content["started"],
            versions=content["versions"],
            note=content["note"],
        )

    def difference(self, other: Header) -> str | None:
        """How this tournament differs from another one, as far as that changes results."""
        if self.rules != other.rules:
            return f"its rules are {self.rules.describe()}, not {other.rules.describe()}"
        own, others = (
            header.schedule.to_json() | {"seed": header.schedule.seed} for header in (self, other)
        )
        for key in dict.fromkeys([*own, *others]):
            if own.get(key) != others.get(key):
                return f"its {key.replace('_', ' ')} is {own.get(key)}, not {others.get(key)}"
        names, other_names = ([agent.name for agent in h.agents] for h in (self, other))
        if names != other_names:
            return f"its agents are {', '.join(names)}, not {', '.join(other_names)}"
        for before, now in zip(self.agents, other.agents, strict=True):
            for what, is_same in (
                ("source is", before.source == now.source),
                ("iteration is", before.iteration == now.iteration),
                ("weights are" if now.folder else "code is", before.sha256 == now.sha256),
            ):
                if not is_same:
                    return f"{now.name} has changed since: its {what} not the same"
        return None
