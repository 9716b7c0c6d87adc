"""A betting tree written down straight from the rules, without any emulator: the oracle."""

from __future__ import annotations

from typing import NamedTuple

from env.rules import Rules


class DirectNode(NamedTuple):
    """What a tree must say of one betting history."""

    actor: int  # −1 when the hand is over
    street: int
    contributions: tuple[int, int]
    legal: str  # the letters of the legal actions
    fold: bool  # ended by a fold


def direct_tree(rules: Rules) -> dict[str, DirectNode]:
    """Every betting history of the game and what holds after it."""
    nodes: dict[str, DirectNode] = {}
    forced = (rules.ante + rules.small_blind, rules.ante + rules.big_blind)

    def terminal(history: str, street: int, paid: tuple[int, int], fold: bool) -> None:
        nodes[history] = DirectNode(-1, street, paid, "", fold)

    def pay(paid: tuple[int, int], player: int, total: int) -> tuple[int, int]:
        return (total, paid[1]) if player == 0 else (paid[0], total)

    def betting(
        history: str, street: int, actor: int, paid: tuple[int, int], raised: int, acted: int
    ) -> None:
        level, mine = max(paid), paid[actor]
        raise_to = min(level + rules.bet_sizes[street], rules.stack)
        can_raise = raised < rules.max_raises[street] and raise_to > level
        legal = ("f" if mine < level else "") + "c" + ("r" if can_raise else "")
        nodes[history] = DirectNode(actor, street, paid, legal, fold=False)
        if "f" in legal:
            terminal(history + "f", street, paid, fold=True)
        called = pay(paid, actor, level)
        if acted == 0:  # the other player has not spoken on this street yet
            if level == rules.stack:  # and has nothing left to say
                terminal(history + "c", street, called, fold=False)
            else:
                betting(history + "c", street, 1 - actor, called, raised, acted + 1)
        elif street + 1 == rules.streets or level == rules.stack:
            terminal(history + "c", street, called, fold=False)
        else:
            opener = rules.first_to_act[street + 1]
            betting(history + "c/", street + 1, opener, called, 0, 0)
        if can_raise:
            after = pay(paid, actor, raise_to)
            betting(history + "r", street, 1 - actor, after, raised + 1, acted + 1)

    betting("", 0, rules.first_to_act[0], forced, 0, 0)
    return nodes
