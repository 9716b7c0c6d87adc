"""`train.py --config FILE`: flags from a TOML file, and the settings of a saved run."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from commands.train_options import parse
from deep_cfr.config import Config, ConfigError
from deep_cfr.presets import PRESETS
from env.rules import parse_rules
from train import main

PRETRAINED = Path(__file__).parent.parent / "checkpoints" / "pretrained"


def resolved(preset: str) -> Config:
    config = PRESETS[preset][1]
    return config.for_game(parse_rules(config.game))


def as_toml(values: dict[str, Any]) -> str:
    """JSON writes strings, numbers, true and false as TOML does."""
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


@pytest.mark.parametrize("preset", PRESETS)
def test_every_setting_can_stand_in_a_file(tmp_path: Path, preset: str) -> None:
    """Those of a preset, on top of another preset that differs in nearly all of them."""
    file = tmp_path / "run.toml"
    wanted = resolved(preset)
    default = PRESETS["standard"][1]
    values = {
        name: value
        for name, value in dataclasses.asdict(wanted).items()
        if value != getattr(default, name)
    }
    file.write_text(as_toml(values))
    assert parse(["--config", str(file)]).config() == wanted


def test_files_say_what_flags_say_and_flags_win(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(
        'preset = "leduc"  # to start from\n'
        'run-name = "r"\n'
        "max_minutes = 2\n"
        "learning_rate = 1\n"
        "learning-rate-end = 0.5\n"
        "iterations = 1_000\n"
        "keep_advantage_nets = false\n"
        f"checkpoints = '{tmp_path}'\n"
    )
    flags = ["--preset=leduc", "--run-name=r", "--max-minutes=2", "--learning-rate=1"]
    flags += ["--learning-rate-end=0.5", "--iterations=1000", "--no-keep-advantage-nets"]
    flags += ["--checkpoints", str(tmp_path)]
    assert parse(["--config", str(file)]) == parse(flags)
    changed = ["--iterations=7", "--preset=kuhn", "--keep-advantage-nets", "--run-name=other"]
    for arguments in ([*changed, "--config", str(file)], ["--config", str(file), *changed]):
        assert parse(arguments) == parse([*flags, *changed])


def test_a_file_can_name_the_run_to_start_from(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('from = "first"\ntraversals = 30\n')
    assert parse(["--config", str(file)]) == parse(["--from=first", "--traversals=30"])
    with pytest.raises(ConfigError, match="leave out --preset"):
        parse(["--config", str(file), "--preset=kuhn"])


def test_settings_of_a_file_are_refused_where_a_game_does_not_read_them(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('preset = "leduc"\nstrength = true\n')
    with pytest.raises(ConfigError, match="strength is True, but leduc has no hand strengths"):
        parse(["--config", str(file)]).config()


@pytest.mark.parametrize("name", ["hulh", "fhp", "leduc"])
def test_the_settings_of_a_saved_model_can_be_used_again(name: str) -> None:
    file = PRETRAINED / name / "model.json"
    request = parse(["--config", str(file), "--seed=5"])
    saved = Config.from_saved(json.loads(file.read_text())["config"])
    wanted = dataclasses.replace(saved, seed=5)
    assert request.config() == wanted.for_game(parse_rules(saved.game))
    with pytest.raises(ConfigError, match="holds every setting already; leave out --preset"):
        parse(["--config", str(file), "--preset=kuhn"])


BAD = {
    "itertions = 3": "there is no setting 'itertions'; the nearest is 'iterations'",
    "runname = 'r'": "the nearest is 'run_name'",
    "resume = 'r'": "there is no setting 'resume'",
    "updates = 'many'": "updates must be a whole number, not 'many'",
    "updates = true": "updates must be a whole number, not True",
    "iterations = 1e3": "iterations must be a whole number, not 1000.0",
    "strength = 1": "strength must be true or false, not 1",
    "game = 5": "game must be text in quotes, not 5",
    "learning_rate = '4e-3'": "learning_rate must be a number, not '4e-3'",
    "learning_rate = 2020-01-01": "learning_rate must be a number",
    "learning_rate = nan": "learning_rate is nan, but must be a number",
    "preset = ['kuhn']": "preset must be text in quotes",
    "preset = 'khun'": "argument --preset: invalid choice: 'khun'",
    "network = 'transformer'": "network is 'transformer'; choose from paper, thesis",
    "max_minutes = 'soon'": "argument --max-minutes: invalid float value",
    "run_name = '../r'": "--run-name is a plain name",
    'logdir = "a\\u0000b"': "logdir has characters that cannot be printed",
    "batch-size = 1\nbatch_size = 2": "batch_size is given twice, with - and with _",
    "[training]\nupdates = 3": "[training] is a table, but settings stand at the top",
    "updates = ": "is not TOML",
    "updates = 3\nupdates = 4": "is not TOML",
    "x = " + "[" * 20_000: "is not TOML",
    "\udc80": "is not TOML",
}
BAD_JSON = {
    "{}": 'has no entry "config"',
    '{"config": 3}': "the settings are no table",
    '{"config": {"gama": 3}}': "there is no setting 'gama'; the nearest is 'game'",
    '{"config": {"updates": 1.5}}': "updates must be of type int, not 1.5",
    '{"config": {"updates": -1}}': "updates is -1, but cannot be negative",
    '{"config": {}, "started_from": [3]}': "a starting point must be a table, not 3",
    "{": "no readable r.json",
}


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        *(("r.toml", content, complaint) for content, complaint in BAD.items()),
        *(("r.json", content, complaint) for content, complaint in BAD_JSON.items()),
    ],
)
def test_bad_files_get_one_line_that_names_the_key(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, content: str, complaint: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content.encode(errors="surrogateescape"))
    assert complaint in refusal(["--config", str(file)], capfd)


@pytest.mark.parametrize("what", ["nowhere.toml", "nowhere.json", "", "folder", "large.toml"])
def test_what_is_no_file_of_settings_gets_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "large.toml").write_bytes(b"#" * (1 << 21))
    monkeypatch.chdir(tmp_path)
    assert (what or "--config: an empty text") in refusal(["--config", what], capfd)


def test_a_run_that_is_resumed_takes_no_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert "leave out --config" in refusal(["--resume=r", f"--config={tmp_path}"], capfd)


def refusal(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """The one line that refuses a command line."""
    before = sorted(Path.cwd().iterdir())
    try:
        code: object = main(arguments)
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    (line,) = capfd.readouterr().err.strip().splitlines()
    assert line.startswith("error: ")
    assert sorted(Path.cwd().iterdir()) == before, "nothing is written"
    return line
