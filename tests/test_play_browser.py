"""The page in a real browser: played by mouse and by keyboard, reloaded, doubled, cut off."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.small_runs import ROOT

CHROMIUM = Path("/usr/bin/chromium")
playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
if not CHROMIUM.exists():
    pytest.skip(f"no browser at {CHROMIUM}: install Debian's chromium", allow_module_level=True)

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
BUTTONS = "#actions button:not([disabled])"
Browser = Any
Tab = Any


class Server:
    """`play.py --web` in a folder of its own; it can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        (folder / "checkpoints").symlink_to(ROOT / "checkpoints")
        self._folder, self._port = folder, 0
        self.start()

    def start(self) -> None:
        """On the same port as before, once there is one."""
        self._process = subprocess.Popen(
            [sys.executable, ROOT / "play.py", "--web", "--no-browser", f"--port={self._port}"],
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().split()[-1]
        self._port = int(re.findall(r":(\d+)/", self.address)[0])

    def end(self, how: signal.Signals) -> int:
        """The exit code."""
        self._process.send_signal(how)
        with self._process as process:
            return process.wait(timeout=30)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("play"))
    yield running
    assert running.end(signal.SIGINT) == 0, "Ctrl-C is how one leaves"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield launched
        launched.close()


@contextmanager
def tab(
    browser: Browser,
    address: str,
    size: dict[str, int] = DESK,
    allowed: str = "",
    *,
    coached: bool = False,
) -> Iterator[Tab]:
    """A page, whose console must stay free of errors but for refusals that are allowed."""
    context = browser.new_context(viewport=size)
    if not coached:
        context.add_init_script("localStorage.setItem('coach-comments', 'no')")
    opened, errors = context.new_page(), []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda one: errors.append(one.text) if one.type == "error" else None)
    opened.goto(address)
    yield opened
    context.close()
    expected = [
        error
        for error in errors
        if "ERR_CONNECTION_REFUSED" in error or (allowed and f"status of {allowed}" in error)
    ]
    assert errors == expected


def sit_down(one: Tab, opponent: str) -> None:
    one.wait_for_selector("#lobby:not([hidden])")
    one.select_option("#opponent", opponent)
    one.click("#sit-down")
    one.wait_for_selector(BUTTONS)


def cards(one: Tab, place: str) -> list[str]:
    found: list[str] = one.eval_on_selector_all(
        f"#{place} .card", "all => all.map(card => card.dataset.card ?? '')"
    )
    return found


def play_hand(one: Tab, by_keyboard: bool) -> None:
    """Calls to the end of the hand, and leaves it there."""
    while True:
        one.wait_for_selector(BUTTONS)
        if one.is_visible("[data-action=next]"):
            return
        assert not any(cards(one, "opponent-cards"))
        moves = one.locator("#moves li").count()
        if by_keyboard:
            one.keyboard.press("c")
        else:
            one.click("[data-action=call]")
        one.locator("#moves li").nth(moves).wait_for(state="attached")


def test_a_session_by_mouse_and_by_keyboard(browser: Browser, server: Server) -> None:
    with tab(browser, server.address) as one:
        sit_down(one, "bot:call")
        for hand in range(1, 5):
            assert one.text_content("#hand-number") == str(hand)
            button = one.get_attribute("#dealer", "class")
            assert button == ("you" if hand % 2 else "opponent")
            play_hand(one, by_keyboard=hand > 2)
            assert all(cards(one, "opponent-cards")), "calls lead to a showdown"
            assert len(cards(one, "board")) == 5
            assert re.match(r"You (win|lose) \d+|Split pot", one.text_content("#banner"))
            assert f"in {hand} hand" in one.text_content("#chips")
            points = one.get_attribute("#graph polyline", "points").split()
            assert len(points) == hand + 1
            if hand < 4:
                one.keyboard.press("Enter") if hand > 2 else one.click("[data-action=next]")
                one.wait_for_selector("#banner", state="hidden")
        one.click("#to-lobby")
        one.wait_for_selector("#session-list button")
        assert "4 hands" in one.text_content("#session-list li:first-child .score")


def test_a_model_that_searches_says_so(browser: Browser, server: Server) -> None:
    with tab(browser, server.address) as one:
        sit_down(one, "pretrained/leduc")
        assert "search:leduc" in one.text_content("#session-name")
        for _ in range(6):
            while not one.is_visible("[data-action=next]"):
                moves = one.locator("#moves li").count()
                one.keyboard.press("c")
                one.locator("#moves li").nth(moves).wait_for(state="attached")
                one.wait_for_selector(BUTTONS)
            one.keyboard.press("n")
            one.wait_for_selector(BUTTONS)


def test_reload_two_tabs_and_a_killed_server_in_mid_hand(browser: Browser, server: Server) -> None:
    with tab(browser, server.address) as one:
        sit_down(one, "bot:call")
        one.click("[data-action=call]")
        one.wait_for_selector("#board .card")
        before = cards(one, "own-cards"), cards(one, "board")

        one.reload()
        one.wait_for_selector(BUTTONS)
        assert (cards(one, "own-cards"), cards(one, "board")) == before

        with tab(browser, one.url) as other:
            other.wait_for_selector(BUTTONS)
            assert (cards(other, "own-cards"), cards(other, "board")) == before
            other.keyboard.press("r")
            one.locator("#board .card").nth(3).wait_for()
            other.wait_for_selector(BUTTONS)

        server.end(signal.SIGKILL)
        one.wait_for_selector("#notice:not([hidden])")
        server.start()
        one.wait_for_selector("#notice", state="hidden")
        one.wait_for_selector(BUTTONS)
        assert cards(one, "own-cards") == before[0]
        assert len(cards(one, "board")) == 4
        play_hand(one, by_keyboard=False)
        assert cards(one, "own-cards") == before[0]


def test_a_narrow_screen(browser: Browser, server: Server) -> None:
    with tab(browser, server.address, PHONE) as one:
        sit_down(one, "bot:raise")
        for _ in range(2):
            width = one.evaluate("document.documentElement.scrollWidth")
            assert width <= PHONE["width"], "nothing sticks out"
            for button in one.locator(BUTTONS).all():
                box = button.bounding_box()
                assert box["y"] + box["height"] <= PHONE["height"], "the buttons can be reached"
                assert min(box["width"], box["height"]) >= 44, "by thumb"
            play_hand(one, by_keyboard=False)
        one.click("#to-lobby")
        one.wait_for_selector("#lobby:not([hidden])")
        assert one.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_the_coach_beside_the_table(browser: Browser, server: Server) -> None:
    with tab(browser, server.address, coached=True) as one:
        sit_down(one, "pretrained/leduc")
        one.keyboard.press("a")
        one.wait_for_selector("#coach-says .row.call")
        assert one.text_content("#coach-says .title").startswith("Advice")
        assert not one.query_selector("#coach-says .verdict"), "nothing is done yet"
        one.keyboard.press("c")
        one.wait_for_selector("#coach-says .verdict .grade")
        assert one.get_attribute("#coach-says .row.chosen", "data-action") == "call"
        grade = one.text_content("#coach-says .verdict .grade")
        assert one.text_content("#own-grade") == grade
        one.keyboard.press("w")
        one.wait_for_selector("dialog .square")
        assert one.locator("dialog .square").count() == 2
        names = one.eval_on_selector_all(
            "dialog .range:first-of-type .cell", "all => all.map(cell => cell.dataset.name)"
        )
        assert names == ["K", "Q", "J"]
        one.keyboard.press("c")
        assert one.locator("dialog").count() == 1, "keys do not play through the window"
        one.keyboard.press("Escape")
        one.wait_for_selector("dialog", state="detached")
        one.uncheck("#comments")
        one.reload()
        one.wait_for_selector(BUTTONS)
        assert not one.is_checked("#comments"), "the page remembers it"


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_review_and_replayer(browser: Browser, server: Server, size: dict[str, int]) -> None:
    with tab(browser, server.address, size) as one:
        sit_down(one, "pretrained/leduc")
        for _ in range(2):
            play_hand(one, by_keyboard=True)
            one.keyboard.press("n")
            one.wait_for_selector("#banner", state="hidden")
        one.wait_for_selector(BUTTONS)
        one.click("#to-review")
        rows = one.locator("#hands tr[data-hand]")
        rows.nth(1).wait_for()
        assert rows.count() == 2
        one.locator("#legend tr").nth(4).wait_for()
        one.locator("#hands", has_text="…").wait_for(state="detached")
        one.locator("#losses tr").nth(2).wait_for()
        assert len(one.get_attribute("#totals .line.baseline", "points").split()) == 3
        assert one.evaluate("document.documentElement.scrollWidth") <= size["width"]
        with one.expect_download() as download:
            one.click("#downloads a:last-child")
        assert len(Path(download.value.path()).read_text().splitlines()) == 2

        rows.nth(1).click()
        one.wait_for_selector("#moves li[data-step]")
        moves = one.locator("#moves li[data-step]").count()
        assert one.locator("#moves .grade").count() == one.locator("#moves .you").count()
        assert cards(one, "opponent-cards") == [""]
        for step in range(moves):
            if one.locator(f"#moves [data-step='{step}'].you").count():
                one.wait_for_selector("#coach-says .row.chosen")
            assert one.text_content("#place") == f"{step} / {moves}"
            one.keyboard.press("ArrowRight")
        one.wait_for_selector("#banner")
        assert one.is_disabled("#on")
        one.reload()
        one.wait_for_selector("#banner")
        assert f"step={moves}" in one.url, "the address keeps the step"
        assert one.evaluate("document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_a_situation_set_by_clicking(
    browser: Browser, server: Server, size: dict[str, int]
) -> None:
    with tab(browser, f"{server.address}analyse", size) as one:
        one.wait_for_selector("#answer .square")
        one.select_option("#model", "pretrained/leduc")
        one.wait_for_selector("[data-card=Kc]")
        for action in ("raise", "call"):
            one.click(f"[data-next={action}]")
            one.locator("#line .done", has_text="bet" if action == "raise" else "call").wait_for()
        assert "1 more" in one.text_content("#answer")
        one.click("[data-card=Kc]")
        one.wait_for_selector("[data-slot=hand0].filled")
        one.click("[data-card=Jc]")
        one.wait_for_selector("#answer .advice .row")
        assert "exact" in one.text_content("#answer .method")
        assert one.locator("#answer .square").count() == 2
        shown = one.text_content("#answer")
        assert one.evaluate("document.documentElement.scrollWidth") <= size["width"]
        with tab(browser, one.url) as other:  # somebody else opens the address
            other.wait_for_selector("#answer .advice .row")
            assert other.text_content("#answer") == shown
        one.click("[data-slot=board0]")
        one.locator("#answer", has_text="1 more").wait_for()
        one.click("#undo")
        one.wait_for_selector("#answer .advice .row")


def test_odd_addresses_of_pages_say_so(browser: Browser, server: Server) -> None:
    image = "<img src=x onerror=alert(1)>"
    for page in (f"review?session={image}", f"review?session={image}&hand={image}"):
        with tab(browser, server.address + page, allowed="400") as one:
            one.wait_for_selector("#notice:not([hidden])")
            assert not one.query_selector("#notice img")
    for page in (f"analyse?model={image}", f"analyse?hand={image}", f"analyse?line={image}"):
        with tab(browser, server.address + page, allowed="400") as one:
            one.wait_for_selector("#answer .square")
            one.wait_for_selector("#notice:not([hidden])")
            assert not one.query_selector("main img")


def test_an_address_of_no_session_leads_to_the_lobby(browser: Browser, server: Server) -> None:
    with tab(browser, f"{server.address}#<img src=x onerror=alert(1)>") as one:
        one.wait_for_selector("#lobby:not([hidden])")
        assert "there is no session" in one.text_content("#notice")
        assert not one.query_selector("#notice img")
