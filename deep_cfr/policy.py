"""Policies: anything that says with what probability each action is played in an infoset.

Every evaluator and the traversal speak to this protocol, so networks, tables and bots are
interchangeable. Strategies are float32 rows over (FOLD, CALL, RAISE) that sum to 1 and are 0 on
illegal actions.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

from deep_cfr.encoding import Encoding, Floats
from deep_cfr.linear_part import add_linear_part
from deep_cfr.networks import ILLEGAL_LOGIT, Network
from deep_cfr.regret_matching import regret_matching
from deep_cfr.training import card_features
from env.betting_tree import BettingTree
from env.cards import NUM_SLOTS, Cards

Nodes = NDArray[np.integer]
ViewStrategies = Callable[[NDArray[np.integer], Nodes], Floats]
CARD_BATCH = 1 << 16  # views pushed through a card branch at once; bounds the memory it takes


class Policy(Protocol):
    """How an agent plays."""

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        """Action probabilities in infosets. cards [n, 7] canonical, nodes [n] → [n, 3]"""
        ...

    def for_views(self, views: Cards) -> ViewStrategies:
        """For many questions about the same cards: a function of (rows of `views`, nodes)."""
        ...


class TabularPolicy:
    """A policy given by a function; the base for what has nothing to gain from `for_views`."""

    def __init__(self, function: Callable[[Cards, Nodes], Floats]) -> None:
        self._function = function

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        return self._function(cards, nodes)

    def for_views(self, views: Cards) -> ViewStrategies:
        return lambda rows, nodes: self._function(views[rows], nodes)


def uniform_policy(tree: BettingTree) -> TabularPolicy:
    """Every legal action equally often."""
    table = (tree.legal / np.maximum(tree.legal.sum(axis=1, keepdims=True), 1)).astype(np.float32)
    return TabularPolicy(lambda cards, nodes: table[nodes])


class NetworkPolicy:
    """A network's outputs, turned into strategies by `to_strategies(outputs, legal)`."""

    def __init__(
        self,
        network: Network,
        to_strategies: Callable[[Floats, Floats], Floats],
        towers: int = 1,
    ) -> None:
        self.network = network
        self._towers = towers  # parts of a batch computed side by side; see device.prepare
        self._to_strategies = to_strategies
        self._legal = network.encoding.legal
        self._card_table = tf.constant(network.encoding.card_table)
        self._mark_table = tf.constant(network.encoding.mark_table)
        self._bet_table = tf.constant(network.encoding.bet_table)
        # With signatures of any length each graph is built once.
        hidden = tf.TensorSpec([None, network.head.input_shape[1]], network.cards.output.dtype)
        numbers = tf.TensorSpec([None], tf.int32)
        self._card_branch = tf.function(
            self._compute_cards, input_signature=[tf.TensorSpec([None, NUM_SLOTS + 1], tf.uint8)]
        )
        self._bet_branch = tf.function(
            lambda: network.bets(self._bet_table, training=False), input_signature=[]
        )
        self._head = tf.function(self._compute_head, input_signature=[hidden, hidden, numbers])

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        return self.for_views(cards)(np.arange(len(nodes)), nodes)

    def for_views(self, views: Cards) -> NetworkViews:
        """The bet branch runs once per node, here; the card branch once per view, when needed."""
        return NetworkViews(self, views)

    def card_branch(self, views: Cards) -> tf.Tensor:
        """Hidden units of cards with their marks. [n, 8] → [n, d]"""
        return self._card_branch(tf.constant(views))

    def bet_branch(self) -> tf.Tensor:
        """Hidden units of every node. [N, d]"""
        return self._bet_branch()

    def head(
        self,
        cards: tf.Tensor,
        bets: tf.Tensor,
        table: Floats | None,
        nodes: Nodes,
        marks: Cards,
        kinds: Cards,
    ) -> Floats:
        """Strategies from hidden units of cards [n, d], nodes, marks and kinds. [n, 3]"""
        nodes32 = nodes.astype(np.int32)
        outputs = self._head(cards, bets, tf.constant(nodes32)).numpy()
        if table is not None:
            cells = self.network.encoding.cells(nodes32, kinds)
            add_linear_part(table, cells, marks, self.network.logs, outputs)
        return self._to_strategies(outputs, self._legal[nodes32])

    def _compute_cards(self, views: tf.Tensor) -> tf.Tensor:
        outputs = []
        for part in self._parts(views):
            features = card_features(
                self.network, self._card_table, self._mark_table, tf.cast(part, tf.int32)
            )
            outputs.append(self.network.cards(features, training=False))
        return tf.concat(outputs, axis=0)

    def _compute_head(self, cards: tf.Tensor, bets: tf.Tensor, nodes: tf.Tensor) -> tf.Tensor:
        outputs = [
            self.network.head(part + tf.gather(bets, n), training=False)
            for part, n in zip(self._parts(cards), self._parts(nodes), strict=True)
        ]
        return tf.concat(outputs, axis=0)

    def _parts(self, rows: tf.Tensor) -> list[tf.Tensor]:
        """Rows shared out between the towers."""
        size = tf.shape(rows)[0]
        edges = [size * tower // self._towers for tower in range(self._towers + 1)]
        return [rows[start:end] for start, end in itertools.pairwise(edges)]


class NetworkViews:
    """A network's answers about some views: each goes through the card branch once."""

    def __init__(self, policy: NetworkPolicy, views: Cards) -> None:
        self._policy = policy
        self._bets = policy.bet_branch()
        table = policy.network.table
        self._table = None if table is None else table.numpy()
        hidden = tf.zeros([len(views), self._bets.shape[1]], self._bets.dtype)
        self._cards = tf.Variable(hidden, trainable=False)
        self._known = np.zeros(len(views), bool)
        self._views = np.column_stack([views, np.zeros(len(views), np.uint8)])  # [n, 8]
        self.kinds = policy.network.encoding.kinds(views)  # [n]

    @property
    def marks(self) -> Cards:
        """The views' marks, for samples to keep; 0 for views not asked about yet. [n]"""
        return self._views[:, NUM_SLOTS]

    def __call__(self, rows: NDArray[np.integer], nodes: Nodes) -> Floats:
        """Strategies for rows of the views. [n], [n] → [n, 3]"""
        new = np.flatnonzero(np.bincount(rows[~self._known[rows]], minlength=len(self._known)))
        self._known[new] = True
        marks = self._policy.network.encoding.marks
        for start in range(0, len(new), CARD_BATCH):
            batch = new[start : start + CARD_BATCH]
            self._views[batch, NUM_SLOTS] = marks(self._views[batch, :NUM_SLOTS])
            hidden = self._policy.card_branch(self._views[batch])
            self._cards.scatter_update(tf.IndexedSlices(hidden, tf.constant(batch)))
        # Only the rows asked for are read: handing over the variable would copy all of it.
        mine = self._cards.sparse_read(tf.constant(rows.astype(np.int32)))
        return self._policy.head(
            mine, self._bets, self._table, nodes, self.marks[rows], self.kinds[rows]
        )


class StoredPolicy:
    """One of many policies that share a network: its weights are put in place for each answer."""

    def __init__(self, policy: NetworkPolicy, weights: list[Floats]) -> None:
        self._policy, self._weights = policy, weights

    def strategies(self, cards: Cards, nodes: Nodes) -> Floats:
        self._policy.network.set_weights(self._weights)
        return self._policy.strategies(cards, nodes)

    def for_views(self, views: Cards) -> ViewStrategies:
        return lambda rows, nodes: self.strategies(views[rows], nodes)


def regret_matching_policy(network: Network, towers: int = 1) -> NetworkPolicy:
    """Regret matching on an advantage network's predictions."""
    return NetworkPolicy(network, regret_matching, towers)


def average_strategy_policy(network: Network, towers: int = 1) -> NetworkPolicy:
    """What a strategy network has learned: the softmax over legal actions."""
    return NetworkPolicy(network, masked_softmax, towers)


def masked_softmax(logits: Floats, legal: Floats) -> Floats:
    """Softmax over the legal actions of each row. [n, 3]"""
    masked = logits + (1.0 - legal) * np.float32(ILLEGAL_LOGIT)
    exponentials = np.exp(masked - masked.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def infoset_features(
    encoding: Encoding, cards: Cards, nodes: Nodes, cells: bool = False
) -> tuple[NDArray[Any], ...]:
    """What a saved strategy model takes: encoded cards, encoded bets, legal mask.

    With `cells` also those, for a model that has a table.
    """
    features = encoding.cards(cards), encoding.bet_table[nodes], encoding.legal[nodes]
    return (*features, encoding.cells(nodes, encoding.kinds(cards))) if cells else features
