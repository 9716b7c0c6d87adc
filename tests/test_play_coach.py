"""The coach over the wire: moments, hands, reports, histories, situations; and odd questions."""

from __future__ import annotations

import asyncio
import importlib.util
import io
import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.loading import load
from env.cards import card_text
from env.game import load_game
from interfaces.coach.analysis import analyse, coach_of
from interfaces.coach.choosing import reference_for
from interfaces.opponents import load_opponent
from interfaces.storage import Store
from interfaces.table import Question
from interfaces.web.questions import LONGEST
from interfaces.web.thinking import MOST_JOBS, BusyError, Thinker
from tests.browser_sessions import Json, Page, get, page, server
from tests.small_runs import ROOT

CHECKPOINTS = ROOT / "checkpoints"
LEDUC = str(CHECKPOINTS / "pretrained" / "leduc")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("coach") / "sessions.sqlite3")


@pytest.fixture(scope="module")
def port(store: Store) -> Iterator[int]:
    with server(store.path, CHECKPOINTS) as found:
        yield found


def ask(port: int, question: str, status: int = 200, **parameters: Any) -> Json:
    words = "&".join(f"{name}={value}" for name, value in parameters.items())
    answer, text = get(port, f"/api/{question}?{words}")
    assert answer.status == status, text
    found: Json = json.loads(text)
    return found


def play_on(one: Page, state: Json, rng: np.random.Generator) -> Json:
    while state["result"] is None:
        choices = state["choices"]
        state = one.act(state, choices[rng.integers(len(choices))]["action"])
    return state


def test_a_session_is_reviewed_and_written_down(port: int, store: Store) -> None:
    with page(port) as one:
        rng = np.random.default_rng(3)
        state = one.sit_down("pretrained/leduc", random=40)
        session, hands, decisions = state["session"], 6, 0
        for _ in range(hands):
            state = play_on(one, state, rng)
            decisions += sum(move["by"] == "you" for move in state["moves"])
            state = one.next_hand(state)
        before = ask(port, "report", session=session)
        assert before["reviewed"] == []
        while ask(port, "review", session=session)["pending"]:
            pass
        report = ask(port, "report", session=session)
    assert report["reviewed"] == list(range(1, hands + 1))
    won = [hand["won"] for hand in report["hands"]]
    assert sum(won) == store.summaries()[0].chips
    assert report["lines"]["won_bb"][-1] == pytest.approx(sum(won) / report["big_blind"])
    assert sum(report["grades"].values()) == decisions
    losses = [hand["loss_bb"] for hand in report["hands"]]
    assert sum(report["loss_by_street_bb"].values()) == pytest.approx(sum(losses))
    costs = [one["loss_bb"] for one in report["worst"]]
    assert costs == sorted(costs, reverse=True)
    for number in range(1, hands + 1):
        found = ask(port, "hand", session=session, hand=number)
        assert len(found["views"]) == len(found["views"][-1]["moves"]) + 1
        for decision in found["review"]["decisions"]:
            view = found["views"][decision["step"]]
            assert view["to_act"] == "you"
            assert found["views"][-1]["moves"][decision["step"]]["action"] == decision["action"]
            moment = ask(port, "moment", session=session, hand=number, step=decision["step"])
            assert moment["advice"] == decision["advice"], "before, after and later: one figure"
    lines = get(port, f"/api/history?session={session}&format=jsonl")[1].splitlines()
    assert [json.loads(line)["won_chips"] for line in lines] == won
    for form in ("pokerstars", "phh"):
        assert (
            "leduc has no form" in ask(port, "history", 400, session=session, format=form)["error"]
        )


@pytest.mark.skipif(not importlib.util.find_spec("pokerkit"), reason="PokerKit needs Python 3.11")
def test_pokerkit_reads_a_whole_session(port: int) -> None:
    from pokerkit import HandHistory  # noqa: PLC0415 - not to be had for Python 3.10

    with page(port) as one:
        rng = np.random.default_rng(5)
        state = one.sit_down("bot:loose-aggressive")
        won = []
        for _ in range(8):
            state = play_on(one, state, rng)
            won.append(state["result"]["won"])
            state = one.next_hand(state)
    session = state["session"]
    answer, text = get(port, f"/api/history?session={session}&format=phh")
    assert answer.getheader("content-disposition") == f'attachment; filename="{session}.phhs"'
    hands = list(HandHistory.load_all(io.BytesIO(text.encode())))
    for number, (hand, chips) in enumerate(zip(hands, won, strict=True)):
        *_, final = hand
        names = hand.players or []
        assert names[1 - number % 2] == "You", "p2 has the button, which the human has first"
        assert list(final.payoffs)[1 - number % 2] == chips
        assert (
            HandHistory.loads(
                get(port, f"/api/history?session={session}&format=phh&hand={number + 1}")[1]
            ).actions
            == hand.actions
        )
    assert (
        "hand 9 is not over"
        in ask(port, "history", 400, session=session, format="phh", hand=9)["error"]
    )


def test_nothing_that_is_asked_tells_hidden_cards(port: int, store: Store) -> None:
    """Neither the opponent's hand nor cards to come, at any step of a hand in play."""
    with page(port) as one:
        state = one.sit_down("bot:call")
        deal = store.hand(state["session"], 0).deal
        hidden = [card_text(card) for card in deal[2:4]]
        while state["result"] is None:
            named = {"session": state["session"], "hand": 1}
            coming = [card_text(card) for card in deal[4 + len(state["board"]) :]]
            found = ask(port, "moment", **named, step=state["step"])
            assert found["board"].split() == state["board"]
            assert found["hand"].split() == state["own_cards"]
            whole = get(port, query("hand", **named))[1]
            assert not [card for card in hidden + coming if f'"{card}"' in whole]
            assert json.loads(whole)["review"] is None
            ask(port, "moment", 400, **named, step=state["step"] + 1)
            ask(port, "history", 400, **named, format="pokerstars")
            state = one.act(state, "call")


def query(question: str, **parameters: Any) -> str:
    return f"/api/{question}?" + "&".join(f"{name}={value}" for name, value in parameters.items())


def test_the_page_for_analysis_has_the_figures_of_the_terminal(port: int) -> None:
    asked: Json = {
        "model": "pretrained/leduc",
        "search": 0,
        "hand": "Ks",
        "board": "Js",
        "line": "rc/r",
    }
    wrong = ask(port, "analyse", 400, **asked)
    assert "not in the deck of leduc" in wrong["error"]
    asked |= {"hand": "Kc", "board": "Jc"}
    found = ask(port, "analyse", **asked)
    (agent,) = load(LEDUC, at_once=True)
    figures = found["figures"]
    expected = json.loads(json.dumps(analyse(coach_of(agent), "Kc", "Jc", "rc/r")))
    assert figures["advice"]["method"] == "exact"
    assert figures["ranges"] == expected["ranges"]
    for name, one in figures["advice"]["actions"].items():
        assert one == pytest.approx(expected["advice"]["actions"][name], abs=1e-6)
    assert [step["name"] for step in found["steps"]] == ["bet", "call", "bet"]
    assert found["next"]["fold"]["line"] is None
    assert found["next"]["raise"]["line"] == "rc/rr"
    lacks = ask(port, "analyse", **asked | {"board": ""})
    assert (lacks["lacks"], lacks["figures"]) == (
        "The second round has 1 card; 1 more, please.",
        None,
    )
    ranges = ask(port, "analyse", **asked | {"hand": ""})["figures"]
    assert ranges["advice"] is None


@pytest.mark.parametrize(
    "question",
    [
        "analyse",
        "analyse?model=nobody",
        "analyse?model=../../etc/passwd",
        "analyse?model=pretrained/leduc&line=zz",
        "analyse?model=pretrained/leduc&line=rrrrr",
        "analyse?model=pretrained/leduc&line=" + "r" * (LONGEST + 1),
        "analyse?model=pretrained/leduc&model=bot:call",
        "analyse?model=bot:call&search=1",
        "analyse?model=bot:call&hand=AsAs",
        "analyse?model=bot:call&hand=%00",
        "analyse?model=bot:call&hand=AsKdQc",
        "analyse?model=bot:call&board=AsKdQcJhTs9s&line=cc/",
        "analyse?x=1",
        "moment?session=x&hand=1&step=0",
        "moment?session=&hand=-1&step=0",
        "moment?session=x&hand=1e3&step=0",
        "moment?session=x&hand=99999999999999999999&step=0",
        "hand?session='; DROP TABLE hands; --&hand=1".replace(" ", "%20"),
        "report?session=x",
        "review",
        "history?session=x&format=phh",
        "history?session=x&format=exe",
        "history?session=x&format=phh&hand=0",
        "models?x=1",
    ],
)
def test_odd_questions_get_one_line(port: int, question: str) -> None:
    answer, text = get(port, f"/api/{question}")
    assert answer.status == 400, text
    found = json.loads(text)
    assert list(found) == ["error"]
    assert len(found["error"]) < 600
    assert "\n" not in found["error"]


def test_other_pages_may_not_ask(port: int) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        assert get(port, "/api/models", headers)[0].status == 403
    assert get(port, "/api/nothing")[0].status == 404


def test_work_is_bounded_and_a_table_waits_for_one_piece_of_it() -> None:
    opponent, order = load_opponent("call", load_game("leduc").rules), []
    question = Question(np.array([40, 52, 52, 52, 52, 52, 52], np.uint8), 0, (1, 2, 3))

    async def play() -> None:
        thinker = Thinker()

        def job(number: int) -> None:
            time.sleep(0.05)
            order.append(number)

        async def act() -> None:
            await asyncio.sleep(0.02)  # the first piece is being worked on
            await thinker.ask(opponent, question, lambda done, total: None)
            order.append(-1)

        work = [thinker.work(partial(job, number)) for number in range(MOST_JOBS + 3)]
        found = await asyncio.gather(act(), *work, return_exceptions=True)
        assert [isinstance(one, BusyError) for one in found[1:]] == [False] * MOST_JOBS + [True] * 3
        thinker.close()

    asyncio.run(play())
    assert sorted(order) == [-1, *range(MOST_JOBS)]
    assert order.index(-1) <= 2, "not behind everything that waits"


def test_who_judges() -> None:
    (hulh,) = load("call", rules=load(LEDUC, at_once=True)[0].rules)
    pretrained = CHECKPOINTS / "pretrained"
    assert reference_for(hulh.rules, "call", pretrained) == f"search:{pretrained / 'leduc'}"
    with pytest.raises(ValueError, match="nobody can judge"):
        reference_for(hulh.rules, "diluted:20:call", Path("nowhere"))
    assert reference_for(hulh.rules, "diluted:20:some/model", Path("nowhere")) == "some/model"
