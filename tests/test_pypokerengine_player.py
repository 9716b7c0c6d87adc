"""Agents at PyPokerEngine's tables play the lines and get the payoffs they get in our game."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pypokerengine.api.emulator import Emulator as Engine
from pypokerengine.engine.card import Card
from pypokerengine.engine.data_encoder import DataEncoder
from pypokerengine.engine.dealer import Dealer
from pypokerengine.engine.deck import Deck
from pypokerengine.engine.hand_evaluator import HandEvaluator

import agents
from agents.pypokerengine_player import AgentPlayer
from arena.match import play
from env.actions import ACTION_NAMES, CALL, RAISE
from env.betting_tree import NONE
from env.cards import Cards, card_text
from env.deals import deal, showdown_results
from env.emulator import HULHEmulator
from env.game import load_game
from env.rules import FHP, HULH, HULH_80, LEDUC, Rules, parse_rules

DOCS = Path(__file__).parent.parent / "docs"


def rngs() -> tuple[np.random.Generator, np.random.Generator]:
    return np.random.default_rng(0), np.random.default_rng(0)


def player(name: str, rules: Rules = HULH) -> AgentPlayer:
    (agent,) = agents.load(name, rules)
    return AgentPlayer(agent, np.random.default_rng(0))


def engine_card(card: int) -> Card:
    text = card_text(card)
    return Card.from_str(text[1].upper() + text[0])


def question(state: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str], dict[str, Any]]:
    """What the engine asks whoever is to act."""
    actions = Engine().generate_possible_actions(state)
    holder = state["table"].seats.players[state["next_player"]]
    return actions, [str(card) for card in holder.hole_card], DataEncoder.encode_round_state(state)


def corrected_payoff(rules: Rules, players: list[AgentPlayer], cards: Cards) -> int:
    """Player 0's chips when both are asked at the engine's table, driven by our rules."""
    emulator = HULHEmulator(rules)
    hand = emulator.start(cards)
    while not hand.is_terminal:
        name, total = players[hand.actor].declare_action(*question(hand.table))
        holder = hand.table["table"].seats.players[hand.actor]
        action = ACTION_NAMES.index(name)
        if action == RAISE:
            assert total - holder.paid_sum() == emulator.raise_cost(hand)
        elif action == CALL:
            assert min(total - holder.paid_sum(), holder.stack) == hand.to_call
        hand = emulator.act(hand, action)
    return emulator.payoffs(hand)[0]


@pytest.mark.parametrize("rules", [HULH, HULH_80], ids=lambda rules: rules.name)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("raise", "call"),
        ("honest", "raise"),
        ("tight-passive", "loose-passive"),
        ("raise", "raise"),
    ],
)
def test_same_payoffs_as_in_a_match(rules: Rules, a: str, b: str) -> None:
    """On the engine's table with the order of play put right, hand for hand."""
    count = 12 if a == b else 25
    deals = deal(rules, count, np.random.default_rng(1))
    both = [agents.load(name, rules)[0].policy for name in (a, b)]
    played = play(load_game(rules), both[0], both[1], deals, 0, 0, rngs())
    seated = [player(a, rules), player(b, rules)]
    for row, cards in enumerate(deals):
        assert corrected_payoff(rules, seated, cards) == played.chips[row, 0]
        assert -corrected_payoff(rules, seated[::-1], cards) == played.chips[row, 1]


@pytest.mark.parametrize("rules", [HULH, HULH_80], ids=lambda rules: rules.name)
def test_every_corrected_situation_is_its_own_node(rules: Rules) -> None:
    """Random lines in the order of the rules: the table says which node it stands at."""
    tree, seated, rng = load_game(rules).tree, player("call", rules), np.random.default_rng(4)
    emulator = HULHEmulator(rules)
    for _ in range(60):
        hand = emulator.start(rng)
        while not hand.is_terminal:
            assert seated.node(question(hand.table)[2]) == tree.node(hand.history)
            may_raise = emulator.legal(hand)[RAISE]
            hand = emulator.act(hand, RAISE if may_raise and rng.random() < 0.6 else CALL)


def test_an_all_in_for_less_than_a_bet() -> None:
    """The engine lists no such raise but takes it."""
    emulator = HULHEmulator(HULH_80)
    hand = emulator.start("AsKd 7h2c Td9s3c 4d 8h")
    for letter in "ccrrrrcr":  # 50 chips each before the turn, then a bet of 20
        hand = emulator.act(hand, "fcr".index(letter))
    asked = question(hand.table)
    assert asked[0][RAISE]["amount"] == {"min": -1, "max": -1}
    assert player("raise", HULH_80).declare_action(*asked) == ("raise", 30)
    after = emulator.act(hand, RAISE)
    assert sorted(after.contributions) == [70, 80]


def scored_right(cards: Cards) -> bool:
    """Whether the bare engine shares the pot of a showdown as the rules have it."""
    engine = [engine_card(int(card)) for card in cards]
    scores = [HandEvaluator.eval_hand(engine[2 * p : 2 * p + 2], engine[4:]) for p in (0, 1)]
    sign = (scores[0] > scores[1]) - (scores[0] < scores[1])
    return bool(sign == showdown_results(cards[None])[0])


def bare_payoff(players: list[AgentPlayer], cards: Cards) -> int:
    """The small blind's chips after one hand that the engine's own dealer runs."""
    dealer = Dealer(HULH.small_blind, HULH.stack, 0)
    for number in (1, 0):  # the seat after the button's posts the small blind
        dealer.register_player(f"player {number}", players[number])
    order = [*cards[2:4], *cards[:2], *cards[4:]]
    ids = [engine_card(int(card)).to_id() for card in order]
    dealer.table.deck = Deck(cheat=True, cheat_card_ids=[*ids, 1])
    seats = dealer.start_game(1)["message"]["game_information"]["seats"]
    won = {seat["name"]: seat["stack"] - HULH.stack for seat in seats}
    return int(won["player 0"])


@pytest.mark.parametrize(("a", "b"), [("raise", "call"), ("honest", "raise"), ("fold", "raise")])
def test_same_payoffs_at_a_bare_table(a: str, b: str) -> None:
    """Bots that do not look at who opens, on deals that the engine can score."""
    deals = np.array([c for c in deal(HULH, 20, np.random.default_rng(2)) if scored_right(c)])
    both = [agents.load(name, HULH)[0].policy for name in (a, b)]
    played = play(load_game(HULH), both[0], both[1], deals, 0, 0, rngs())
    seated = [player(a), player(b)]
    for row, cards in enumerate(deals):
        assert bare_payoff(seated, cards) == played.chips[row, 0]
        assert -bare_payoff(seated[::-1], cards) == played.chips[row, 1]


def bare_start(stack: int = 240) -> tuple[Engine, dict[str, Any]]:
    engine = Engine()
    engine.set_game_rule(player_num=2, max_round=1, small_blind_amount=5, ante_amount=0)
    names = {name: {"name": name, "stack": stack} for name in ("a", "b")}
    return engine, engine.start_new_round(engine.generate_initial_game_state(names))[0]


def test_every_bare_situation_has_its_chips_and_actor_in_the_tree() -> None:
    """Random limit lines at the bare table, where the small blind opens every street."""
    tree, seated, rng = load_game(HULH).tree, player("call"), np.random.default_rng(3)
    situations, swapped = 0, 0
    for _ in range(60):
        engine, state = bare_start()
        raises, street = 0, 0
        while state["street"] < 4:
            if state["street"] != street:
                raises, street = 0, state["street"]
            actions, _, asked = question(state)
            node, seats = seated.node(asked), state["table"].seats.players
            small, big = seats[asked["small_blind_pos"]], seats[asked["big_blind_pos"]]
            chips = (small.pay_info.amount, big.pay_info.amount)
            assert tuple(tree.contributions[node]) == chips
            assert tree.actor[node] == (state["next_player"] != asked["small_blind_pos"])
            assert tree.street[node] == street
            assert tree.legal[node, RAISE] == (raises < HULH.max_raises[street])
            situations += 1
            swapped += street > 0 and tree.actor[node] == 0 and chips[0] == chips[1]
            total = int(actions[CALL]["amount"])
            if tree.legal[node, RAISE] and rng.random() < 0.6:
                raises += 1
                state, _ = engine.apply_action(state, "raise", total + HULH.bet_sizes[street])
            else:
                state, _ = engine.apply_action(state, "call", total)
    assert situations > 400
    assert swapped > 50, "small blinds that open a street"


@pytest.mark.parametrize(
    ("moves", "line"),
    [  # letters, or the total of a raise; the small blind opens every street
        ([], ""),
        (["c"], "c"),
        (["c", "c"], "cc/c"),  # the big blind counts as having checked
        (["c", "c", "c"], "cc/"),  # the small blind's check is left out
        (["c", "c", "c", 10], "cc/r"),
        (["c", "c", 10], "cc/cr"),
        (["c", "c", "c", 10, 20], "cc/rr"),
        ([20, "c", 10, "c"], "rc/crc/c"),
        ([137], "r"),  # a raise is a raise
        ([137, "c"], "rc/c"),
        ([20, 30, 40, 50], "rr"),  # one over the cap: the same player has bet last
        ([20, 30, 40, 50, 60], "rrr"),
        ([20, 30, 40, 50, 60, "c"], "rrrc/c"),
        ([15, 20, 25, 30, 35, 40, "c"], "rrc/c"),
    ],
)
def test_lines_and_the_nearest_ones(moves: list[str | int], line: str) -> None:
    engine, state = bare_start()
    for move in moves:
        if isinstance(move, int):
            state, _ = engine.apply_action(state, "raise", move)
        else:
            state, _ = engine.apply_action(state, "call", question(state)[0][CALL]["amount"])
    tree = load_game(HULH).tree
    assert tree.text(player("call").node(question(state)[2])) == line


def test_raises_fit_the_table() -> None:
    engine, state = bare_start()
    bold = player("raise")
    assert bold.declare_action(*question(state)) == ("raise", 20)
    large, _ = engine.apply_action(state, "raise", 50)  # 40 more, so the next is to 90 at least
    assert bold.declare_action(*question(large)) == ("raise", 90)
    all_in, _ = engine.apply_action(state, "raise", 239)
    assert bold.declare_action(*question(all_in)) == ("raise", 240)
    capped = state
    for total in (20, 30, 40):
        capped, _ = engine.apply_action(capped, "raise", total)
    assert bold.declare_action(*question(capped)) == ("call", 40)
    assert player("fold").declare_action(*question(capped)) == ("fold", 0)
    _, short = bare_start(stack=15)
    assert bold.declare_action(*question(short)) == ("raise", 15)


def test_beyond_the_tree_the_agent_calls() -> None:
    rules = parse_rules("hulh:max_raises=0/4/4/4")
    engine, state = bare_start()
    raised, _ = engine.apply_action(state, "raise", 20)
    seated = player("fold", rules)
    assert seated.node(question(raised)[2]) == NONE
    assert seated.declare_action(*question(raised)) == ("call", 20)


def test_answers_follow_the_strategy() -> None:
    """The random bot, asked often: every legal action about equally often."""
    _, state = bare_start()
    seated = player("random")
    names = [seated.declare_action(*question(state))[0] for _ in range(1500)]
    for name in ("fold", "call", "raise"):
        assert 400 < names.count(name) < 600
    again = player("random")
    assert [again.declare_action(*question(state))[0] for _ in range(50)] == names[:50]


@pytest.mark.parametrize("rules", [FHP, LEDUC], ids=lambda rules: rules.name)
def test_games_that_the_engine_does_not_play(rules: Rules) -> None:
    with pytest.raises(
        ValueError, match=f"four streets with a full deck, and call plays {rules.name}"
    ):
        player("call", rules)


def test_tables_with_other_rules_are_refused() -> None:
    rule = {"small_blind_amount": 5, "ante": 0, "blind_structure": {}}
    seated = player("call")
    seated.receive_game_start_message({"player_num": 2, "rule": rule})
    for number, change in ((3, {}), (2, {"small_blind_amount": 10}), (2, {"ante": 1})):
        with pytest.raises(ValueError, match="this table has"):
            seated.receive_game_start_message({"player_num": number, "rule": rule | change})


def test_the_example_of_the_documentation_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "pypokerengine.md").read_text(), re.S)
    script = tmp_path / "example.py"
    script.write_text(code)
    runpy.run_path(str(script))
    stacks = [int(number) for number in re.findall(r"\d+", capsys.readouterr().out)]
    assert sum(stacks[-2:]) == 2 * 5000
