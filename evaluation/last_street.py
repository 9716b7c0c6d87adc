"""What hands win on the last street from a range: by a best response, and as the policy plays them.

No card is to come, so nothing has to be assumed of the rest of the hand: all decisions of the
street are asked about for the whole range at once, and the values of all hands come back up from
folds and showdowns (`search.last_street.responses`), in steps proportional to the hands.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from env.actions import NUM_ACTIONS
from env.arrays import Doubles, Longs
from env.game import Game
from env.range_views import RangeViews
from policies.ranges import RangeStrategies
from search.betting import Betting, make_betting
from search.last_street import Subgames, responses
from search.public_state import BoardHands, hands_on

BEST, OWN = 0, 1  # a hand is played by a best response, or as the policy plays it
_AT_ONCE = 64  # subgames valued together; bounds memory


@dataclass(frozen=True)
class LastStreet:
    """The last street on some boards, played by one policy."""

    game: Game
    seen: RangeViews
    ask: RangeStrategies
    _bettings: dict[int, tuple[Betting, bytes]] = field(default_factory=dict)  # by entry

    def values(
        self, seat: int, visible: Longs, entries: Longs, reach: Doubles, own: Longs
    ) -> Doubles:
        """Counterfactual values of a seat's hands, from the reach of the other's. [2, n, H]

        `visible` [n] are rows of full boards, `entries` [n] nodes at which the street begins there
        and `reach` is [n, H]. What the policy itself wins is found only for the pairs `own` [2, m]
        of one of the n and a hand: it takes the policy's answers with this hand as well.
        """
        out = np.zeros((2, *reach.shape))
        alike: dict[bytes, list[int]] = {}  # subgames of one shape go together
        for row, entry in enumerate(entries.tolist()):
            alike.setdefault(self._betting(entry)[1], []).append(row)
        for members in alike.values():
            for start in range(0, len(members), _AT_ONCE):
                rows = np.array(members[start : start + _AT_ONCE])
                bettings = [self._betting(entry)[0] for entry in entries[rows].tolist()]
                boards = self.seen.boards[visible[rows]]
                hands = [hands_on(self.game.rules, board.tobytes()) for board in boards]
                live = np.stack([here.live for here in hands])
                subgames = _subgames(seat, bettings, hands, live, reach[rows])
                strategies = self._of_others(seat, visible[rows], bettings, live)
                players = np.full(len(rows), seat, np.int32)
                found = responses(bettings[0], subgames, strategies, players)
                out[BEST, rows[:, None], live] = found
                mine = own[:, np.isin(own[0], rows)]
                if mine.size:
                    places = np.searchsorted(rows, mine[0]), mine[1]
                    self._add_own(seat, visible[rows], bettings, live, places, strategies)
                    found = responses(bettings[0], subgames, strategies, players, best=False)
                    out[OWN, rows[:, None], live] = found
        return out

    def _betting(self, entry: int) -> tuple[Betting, bytes]:
        """The street's betting below an entry, and what it has in common with others."""
        if entry not in self._bettings:
            betting = make_betting(self.game.tree, entry, is_last=True)
            self._bettings[entry] = betting, betting.shape
        return self._bettings[entry]

    def _of_others(
        self, seat: int, visible: Longs, bettings: list[Betting], live: Longs
    ) -> Doubles:
        """The other player's strategies, zero at decisions of the seat. [n, L, D, 3]"""
        columns = np.flatnonzero(bettings[0].actor != seat)
        out = np.zeros((*live.shape, len(bettings[0].actor), NUM_ACTIONS))
        if len(columns):
            nodes = np.concatenate([betting.decisions[columns] for betting in bettings])
            found = self.ask(np.repeat(visible, len(columns)), nodes)
            found = found.reshape(len(bettings), len(columns), -1, NUM_ACTIONS)
            for strategies, asked, hands in zip(out, found, live, strict=True):
                strategies[:, columns] = asked[:, hands].swapaxes(0, 1)
        return out

    def _add_own(
        self,
        seat: int,
        visible: Longs,
        bettings: list[Betting],
        live: Longs,
        own: tuple[Longs, Longs],
        strategies: Doubles,
    ) -> None:
        """Put in the seat's strategies with some hands: [m] subgames, [m] hands, [n, L, D, 3]."""
        columns = np.flatnonzero(bettings[0].actor == seat)
        decisions = np.stack([betting.decisions for betting in bettings])
        rows, hands = np.repeat(own[0], len(columns)), np.repeat(own[1], len(columns))
        at = np.tile(columns, len(own[0]))
        found = self.ask.of_hands(visible[rows], decisions[rows, at], hands)
        places = np.zeros((len(live), len(self.seen.hands)), np.int64)
        np.put_along_axis(places, live, np.arange(live.shape[1])[None], axis=1)
        strategies[rows, places[rows, hands], at] = found


def _subgames(
    seat: int, bettings: list[Betting], hands: list[BoardHands], live: Longs, reach: Doubles
) -> Subgames:
    """Subgames in which the other player has the given ranges. [n, L], [n, H]"""
    ranges = np.zeros((len(live), 2, live.shape[1]))
    ranges[:, 1 - seat] = np.take_along_axis(reach, live, axis=1)
    return Subgames(
        cards=np.stack([here.cards for here in hands]),
        ties=np.stack([here.ties for here in hands]),
        classes=np.stack([here.classes for here in hands]),
        stakes=np.stack([betting.stakes for betting in bettings]),
        ranges=ranges,
        alternatives=np.zeros(live.shape),
    )
