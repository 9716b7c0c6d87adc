"""Loading a model and asking it: the right infoset, the right words, and errors that help."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from deep_cfr.config import Config
from deep_cfr.networks.network import make_network
from deep_cfr.solver import Solver
from env.actions import ACTION_NAMES
from env.cards import NO_CARD, SUITS, cards_text
from env.deals import canonical_views, deal
from env.game import load_game
from env.rules import parse_rules
from env.unbeatable import cannot_lose
from models.model import Model, load
from models.saving import save_model
from models.storage import StorageError


def save_random(run: Path, game: str, iterations: int = 1) -> Path:
    """A run whose networks are random, so that their answers differ in every infoset."""
    rules = parse_rules(game)
    solver = Solver(Config(game=game, width=16, seed=5), load_game(rules))
    network = make_network(solver.encoding, solver.config.width)
    for t in range(1, iterations + 1):
        rng = np.random.default_rng([t, len(game)])
        shapes = [weight.shape for weight in network.get_weights()]
        network.set_weights([rng.normal(0, 0.4, shape).astype(np.float32) for shape in shapes])
        solver.t, solver.nodes_touched = t, 1_000 * t
        save_model(run, solver, network, {"strategy_loss": 0.5})
    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run of each game; tests that change one copy it."""
    root = tmp_path_factory.mktemp("checkpoints")
    iterations = {"kuhn": 1, "leduc": 2, "hulh": 1}
    return {game: save_random(root / game, game, t) for game, t in iterations.items()}


@pytest.fixture(scope="module")
def models(runs: dict[str, Path]) -> dict[str, Model]:
    return {name: load(run) for name, run in runs.items()}


@pytest.fixture
def folder(runs: dict[str, Path], tmp_path: Path) -> Path:
    """A model to change."""
    return Path(shutil.copytree(runs["leduc"] / "iter_0002", tmp_path / "iter_0002"))


def test_folders_files_and_runs_load(runs: dict[str, Path]) -> None:
    run = runs["leduc"]
    newest, first = run / "iter_0002", run / "iter_0001"
    assert load(run).folder == load(str(newest / "strategy.keras")).folder == newest
    assert load(run).description.iteration == 2
    assert load(first).description.iteration == 1
    assert load(first).ask("Kc") != load(run).ask("Kc")


@pytest.mark.parametrize("game", ["kuhn", "leduc", "hulh"])
def test_answers_are_the_policys_in_that_infoset(models: dict[str, Model], game: str) -> None:
    model = models[game]
    rules, tree, rng = model.game.rules, model.game.tree, np.random.default_rng(3)
    nodes = rng.choice(np.flatnonzero(tree.is_decision), 30)
    deals = deal(rules, len(nodes), rng)
    views = canonical_views(rules, deals)  # the cards that training shows to a network
    for i, node in enumerate(nodes):
        player, street = int(tree.actor[node]), int(tree.street[node])
        hand = cards_text(deals[i, 2 * player : 2 * player + 2])
        board = cards_text(deals[i, 4 : 4 + rules.visible_board[street]])
        expected = model.policy.strategies(views[i, player, street][None], np.array([node]))[0]
        found = model.ask(hand.replace(" ", ""), board, tree.text(node))
        assert list(found) == ["fold", "call", "raise"]
        np.testing.assert_allclose(list(found.values()), expected, atol=1e-6)
        assert sum(found.values()) == pytest.approx(1, abs=1e-5)
        played = tree.legal[node].copy()
        if model.policy.may_fold[node]:
            played[0] &= not cannot_lose(rules, views[i, player, street][None])[0]
        assert [found[name] > 0 for name in ACTION_NAMES] == played.tolist()


def test_names_of_suits_and_order_of_cards_do_not_matter(models: dict[str, Model]) -> None:
    model, line = models["hulh"], "rc/cc/r"
    expected = model.ask("AhKd", "2c7dTs9d", line)
    for renaming in itertools.permutations(SUITS):
        renamed = str.maketrans(SUITS, "".join(renaming))
        found = model.ask("Kd Ah".translate(renamed), "Ts2c7d 9d".translate(renamed), line)
        assert found == pytest.approx(expected, abs=1e-6)
    assert model.ask("AhKh", "2c7dTs9d", line) != pytest.approx(expected, abs=1e-4)
    assert model.ask("AhKd", "2c7d9dTs", line) != pytest.approx(expected, abs=1e-4)  # other turn


def test_lines_lead_to_their_own_answers(models: dict[str, Model]) -> None:
    model = models["leduc"]
    answers = [model.ask("Qc", line=line)["raise"] for line in ("", "c", "r")]
    assert len(set(answers)) == 3
    assert model.ask("Qc", line="rr")["raise"] == 0
    assert model.ask("Qc", "Jd", "cc") == model.ask("Qc", "Jd", " cc/ ")


def test_other_ways_to_write_a_line(models: dict[str, Model]) -> None:
    """k and x check, b bets, capitals do, and a slash right after a bet implies the call."""
    model = models["hulh"]
    expected = model.ask("AhKd", "2c7dTs9d", "rc/crc/r")
    for line in ("rc/krc/b", "RC/XRC/R", "r/xb/b"):
        assert model.ask("AhKd", "2c7dTs9d", line) == expected


def test_without_a_board_the_answer_is_the_mean_over_boards(models: dict[str, Model]) -> None:
    model = models["leduc"]
    answers = [model.ask("Kc", board, "cc/") for board in ("Jc", "Jd", "Qc", "Qd", "Kd")]
    found = model.ask("Kc", None, "cc/")
    for name in ACTION_NAMES:
        mean = sum(answer[name] for answer in answers) / len(answers)
        assert found[name] == pytest.approx(mean, abs=1e-6)
    assert model.ask("Kc", None) == model.ask("Kc")


def test_hands_as_people_write_them(models: dict[str, Model]) -> None:
    model = models["hulh"]
    for hand in ("AKs", "kas", "A K s", "AdKd"):
        assert model.ask(hand) == pytest.approx(model.ask("AhKh"), abs=1e-6)
    assert model.ask("AKo") == pytest.approx(model.ask("AhKd"), abs=1e-6)
    assert model.ask("TT") == model.ask("1010") == pytest.approx(model.ask("ThTd"), abs=1e-6)
    assert model.ask("10h9h", "10d 2c 3c", "rc/") == model.ask("Th9h", "Td2c3c", "rc/")
    assert model.ask("T9o") == pytest.approx(model.ask("10h 9c"), abs=1e-6)
    assert "hand    AKs" in model.explain("KAs")
    assert "hand    Th 9h" in model.explain("10h 9h")


@pytest.mark.parametrize(
    ("hand", "board", "cards"),
    [
        ("AKs", "2c7dTs", ["AcKc", "AdKd", "AhKh", "AsKs"]),
        ("AKs", "Ac7dTs", ["AdKd", "AhKh", "AsKs"]),
        ("77", "7d7cTs", ["7h7s"]),
        ("T9o", "10c 9c 2h", ["Td9h", "Td9s", "Th9d", "Th9s", "Ts9d", "Ts9h"]),
    ],
)
def test_a_class_on_a_board_is_the_mean_of_its_hands(
    models: dict[str, Model], hand: str, board: str, cards: list[str]
) -> None:
    model = models["hulh"]
    answers = [model.ask(one, board, "rc/c") for one in cards]
    found = model.ask(hand, board, "rc/c")
    for name in ACTION_NAMES:
        mean = sum(answer[name] for answer in answers) / len(answers)
        assert found[name] == pytest.approx(mean, abs=1e-6)
    shown = model.explain(hand, board, "rc/c")
    assert (f"the mean over its {len(cards)} hands" in shown) == (len(cards) > 1)
    if len(cards) > 1:
        assert len(shown.split("\n\n")[-1].splitlines()) == len(cards) + 1, "a line for each"


BAD_QUESTIONS = [
    ("hulh", ("AK",), r"'AK' is suited or not: write AKs or AKo$"),
    ("hulh", ("AAs",), r"hand 'AAs': 'AA' is not a card"),
    ("hulh", ("77", "7d7c7h", "rc/"), r"the board leaves no hand of 77"),
    ("leduc", ("KQ",), r"hand 'KQ': 'KQ' is not a card"),
    ("leduc", ("Kx",), r"hand 'Kx': 'Kx' is not a card; write a rank"),
    ("leduc", ("Ah",), r"Ah is not in the deck of leduc, which has ranks JQK in suits cd"),
    ("leduc", ("Kc", "9c", "cc/"), r"board '9c': 9c is not in the deck"),
    ("leduc", ("KcKd",), r"a hand of leduc has 1 card, but 'KcKd' has 2"),
    ("kuhn", ("Kd",), r"Kd is not in the deck of kuhn"),
    ("kuhn", ("",), r"a hand of kuhn has 1 card, but '' has 0"),
    ("kuhn", ("Kc", "Qc"), r"the hand starts on the first round, .* has 0 cards; 1 given"),
    ("hulh", ("Ah",), r"a hand of hulh has 2 cards, but 'Ah' has 1"),
    ("hulh", ("AhAh",), r"Ah appears twice"),
    ("hulh", ("AhKd", "2c2cTs", "rc"), r"2c appears twice"),
    ("hulh", ("AhKd", "Kd7dTs", "rc/"), r"Kd is in the hand and on the board"),
    ("hulh", ("AhKd", "2c7dTs", "r"), r"'r' leads to the pre-flop, .* has 0 cards; 3 given"),
    ("hulh", ("AhKd", "2c7d", "rc"), r"'rc/' leads to the flop, where .* has 3 cards; 2 given"),
    ("hulh", ("AhKd", "2c7dTs", "rc/cc/"), r"leads to the turn, where .* has 4 cards; 3 given"),
    ("hulh", ("AhKd", "", "rrrr"), r"possible after 'rrr': f \(fold\), c \(call\)$"),
    ("hulh", ("AhKd", "", "z"), r"possible at the start: f \(fold\), c \(call\), r \(raise\)$"),
    ("hulh", ("AhKd", "", "rc/f"), r"possible after 'rc/': c \(call\), r \(raise\)$"),
    ("hulh", ("AhKd", "", "rc//"), r"'rc//' cannot be played in hulh: possible after 'rc/': c"),
    ("hulh", ("AhKd", "", "/c"), r"'/c' cannot be played in hulh: possible at the start: f"),
    ("hulh", ("AhKd", "", "rf"), r"'rf': the hand is over after 'rf'"),
    ("kuhn", ("Kc", "", "rccc"), r"'rccc': the hand is over after 'rc'"),
]


@pytest.mark.parametrize(("game", "question", "complaint"), BAD_QUESTIONS)
def test_impossible_questions_are_answered_with_what_is_wrong(
    models: dict[str, Model], game: str, question: tuple[str, ...], complaint: str
) -> None:
    for ask in (models[game].ask, models[game].explain):
        with pytest.raises(ValueError, match=complaint) as raised:
            ask(*question)
        assert "\n" not in str(raised.value)


def test_an_explanation_tells_the_situation(models: dict[str, Model]) -> None:
    model = models["hulh"]
    text = model.explain("AhKd", "2c7dTs", "rc/r")
    assert all(len(line) <= 80 for line in text.splitlines())
    lines = text.splitlines()
    assert " ".join(lines[: lines.index("")]) == model.game.rules.describe()
    assert "to act  player 0 (button), after rc/r" in lines
    assert "street  flop" in lines
    assert "pot     50 chips (5 big blinds); to call: 10 chips (1 big blind)" in lines
    assert "hand    Ah Kd" in lines
    assert "board   2c 7d Ts" in lines
    strategy = model.ask("AhKd", "2c7dTs", "rc/r")
    for line, (name, probability) in zip(lines[-3:], strategy.items(), strict=True):
        words = line.split()
        assert words[:3] == [
            name,
            {"fold": "0", "call": "10", "raise": "20"}[name],
            f"{probability:.1%}",
        ]
        assert line.count("#") == round(40 * probability)


def test_explanations_use_the_words_of_the_table(models: dict[str, Model]) -> None:
    def deeds(game: str, *question: str) -> list[str]:
        rows = models[game].explain(*question).split("plays\n")[1].splitlines()
        return [" ".join(row.split()[:2]) for row in rows]

    assert deeds("hulh", "AhKd") == ["fold 0", "call 5", "raise 15"]
    assert deeds("hulh", "AhKd", "", "c") == ["check 0", "raise 10"], "the blind is a bet"
    assert deeds("hulh", "AhKd", "2c7dTs", "cc/") == ["check 0", "bet 10"]
    assert deeds("leduc", "Kc", "", "") == ["check 0", "bet 2"]
    assert deeds("leduc", "Kc", "Jd", "cc/r") == ["fold 0", "call 4", "raise 8"]
    assert deeds("kuhn", "Kc", "", "r") == ["fold 0", "call 1"]
    kuhn = models["kuhn"].explain("Kc")
    assert "player 0 (first), first to act" in kuhn
    assert "pot     2 chips (2 antes); to call: 0 chips (0 antes)" in kuhn
    assert "none yet" in kuhn


def test_charts_show_any_preflop_line(models: dict[str, Model], tmp_path: Path) -> None:
    model = models["hulh"]
    pictures = []
    for line in ("", "rrr"):
        model.preflop_chart(line, tmp_path / "chart.png")
        pictures.append(imread(tmp_path / "chart.png"))
    assert pictures[0].shape[0] > 400
    assert np.abs(pictures[0] - pictures[1]).max() > 0.1
    for line, complaint in (("rc", "leads to the flop"), ("rf", "is over"), ("rrrr", "possible")):
        with pytest.raises(ValueError, match=complaint):
            model.preflop_chart(line, tmp_path / "none.png")
    with pytest.raises(ValueError, match="leduc has no pre-flop with two cards"):
        models["leduc"].preflop_chart("", tmp_path / "none.png")
    assert not (tmp_path / "none.png").exists()


def test_what_is_no_model_is_said_in_one_line(
    runs: dict[str, Path], folder: Path, tmp_path: Path
) -> None:
    def refusal(path: Path) -> str:
        with pytest.raises(StorageError) as raised:
            load(path)
        assert "\n" not in str(raised.value)
        return str(raised.value)

    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    assert "there is no" in refusal(tmp_path / "nothing")
    assert "there is no" in refusal(tmp_path / "nothing" / "strategy.keras")
    assert "holds no model" in refusal(tmp_path / "empty")
    assert "neither a model folder" in refusal(tmp_path / "notes.txt")
    shutil.copy(runs["hulh"] / "iter_0001" / "strategy.keras", folder / "strategy.keras")
    assert "damaged" in refusal(folder), "not what the manifest lists"
    (folder / "manifest.json").unlink()
    assert "does not take the" in refusal(folder), "features of another game"
    content = (runs["leduc"] / "iter_0002" / "strategy.keras").read_bytes()
    middle = len(content) // 2
    for damaged in (content[:middle], content[:middle] + b"x" * 99 + content[middle + 99 :], b""):
        (folder / "strategy.keras").write_bytes(damaged)
        assert "holds no readable model" in refusal(folder)
    (folder / "strategy.keras").write_bytes(content)
    (folder / "model.json").write_text("[]")
    assert "model.json is not of this program" in refusal(folder)


def test_the_empty_slots_of_toy_games_stay_empty(models: dict[str, Model]) -> None:
    """The question as written out by hand for Leduc: hole in slot 0, board in slot 2."""
    model = models["leduc"]
    cards = np.full((1, 7), NO_CARD, np.uint8)
    cards[0, [0, 2]] = 11 * 4, 9 * 4 + 1  # Kc, Jd: hole first, so its suit is called c
    expected = model.policy.strategies(cards, np.array([model.game.tree.node("cc/")]))[0]
    assert list(model.ask("Kd", "Jc", "cc/").values()) == pytest.approx(expected, abs=1e-6)
