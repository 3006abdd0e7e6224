"""The command line: answers on stdout, refusals on stderr, and the exit code says which."""

import json
import socket
import subprocess
import sys

import pytest

from app.__main__ import main
from app.answers import size_json
from app.model.units import grouped
from app.model.workload import Workload
from tests.configs import FOLDER


def test_size_json_is_the_answer_of_the_api(capsys):
    """`size --json` prints what /api/size answers."""
    code = main(["size", "--params", "70B", "--gpus", "512", "--json"])

    assert code == 0
    assert capsys.readouterr().out.encode() == size_json(Workload(params=70e9, gpus=512)) + b"\n"


@pytest.mark.parametrize("option", ["--seq_tokens", "--seq-tokens"])
def test_option_takes_underscore_or_hyphen(capsys, option):
    """Options keep the names of the API; hyphens are accepted too."""
    main(["size", option, "16Ki", "--json"])

    assert json.loads(capsys.readouterr().out)["workload"]["seq_tokens"] == 16_384


def test_size_shows_shape_bars_and_layout(capsys):
    """Without --json a person reads the shape, the five bars with a word each, and the layout."""
    main(["size"])

    shown = capsys.readouterr().out
    assert "Sharded data parallel" in shown
    assert sum("█" in line or "·····" in line for line in shown.splitlines()) == 5
    assert "ZeRO" in shown


def test_size_that_does_not_fit_is_an_answer(capsys):
    """A design that fits nowhere exits 0 and says what would help."""
    code = main(["size", "--params", "1e12", "--gpus", "1"])

    assert code == 0
    assert "What would help:" in capsys.readouterr().out


def test_layouts_lists_as_many_as_asked(capsys):
    """`layouts --top 3` prints a heading and three lines."""
    main(["layouts", "--top", "3"])

    assert len(capsys.readouterr().out.splitlines()) == 4


def test_layouts_json_names_step_and_memory(capsys):
    """`layouts --json` gives each layout with its step time and memory."""
    main(["layouts", "--top", "2", "--json"])

    first, second = json.loads(capsys.readouterr().out)["layouts"]
    assert first["step_seconds"] <= second["step_seconds"]
    assert set(first) == {"layout", "step_seconds", "memory_bytes", "fits"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["size", "--gpus", "0"], "gpus: is 0, below the bound: give a number from 1", id="bound"),
        pytest.param(["size", "--gpu", "tpu"], "gpu: is 'tpu': give one of", id="word"),
        pytest.param(["size", "--params", "x" * 10_000], "params: is 'xxx", id="10,000 characters"),
        pytest.param(["layouts", "--top", "0"], "top: is '0': give a whole number from 1 to 100", id="top"),
    ],
)
def test_bad_value_exits_2_with_field_value_and_bound(capsys, arguments, message):
    """A refused value is named on stderr with its bound, and nothing is printed as an answer."""
    code = main(arguments)

    shown = capsys.readouterr()
    assert code == 2
    assert message in shown.err
    assert len(shown.err) < 1000
    assert shown.out == ""


@pytest.mark.parametrize("arguments", [["size", "--colour", "red"], ["sise"], ["serve", "--port", "x"]])
def test_unknown_word_exits_2(capsys, arguments):
    """A command or option that is not known exits 2."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)

    assert stop.value.code == 2
    assert arguments[-1] in capsys.readouterr().err


def test_size_takes_a_config(capsys):
    """`size --config FILE` sizes the model of the file with the other inputs as given."""
    code = main(["size", "--config", str(FOLDER / "qwen3-32b.json"), "--gpus", "512", "--json"])

    answer = json.loads(capsys.readouterr().out)
    assert code == 0
    assert (answer["model"]["total_params"], answer["workload"]["gpus"]) == (32_762_123_264, 512)


def test_layouts_takes_a_config(capsys):
    """`layouts --config FILE` lists the layouts of that model."""
    main(["layouts", "--config", str(FOLDER / "glm-4.5-air.json"), "--gpus", "256", "--json"])

    assert json.loads(capsys.readouterr().out)["workload"]["params"] == 106_852_251_264


@pytest.mark.parametrize("command", ["size", "layouts"])
def test_a_model_without_time_is_counted(capsys, command):
    """A state-space model prints its counts and the reason, and that is an answer."""
    code = main([command, "--config", str(FOLDER / "jamba-v0.1.json")])

    shown = capsys.readouterr().out
    assert code == 0
    assert grouped(51_570_323_328) in shown
    assert "No time is given: 28 of 32 layers mix by state space" in shown


def test_a_model_without_time_is_counted_as_json(capsys):
    """With --json the answer is that of /api/model."""
    main(["size", "--config", str(FOLDER / "jamba-v0.1.json"), "--json"])

    assert json.loads(capsys.readouterr().out)["own_model"] is None


@pytest.mark.parametrize(
    ("file", "message"),
    [
        pytest.param("nowhere.json", "config: cannot be read from 'nowhere.json': No such file", id="missing"),
        pytest.param("tests", "config: cannot be read from 'tests': Is a directory", id="folder"),
        pytest.param("a\0b", "config: cannot be read from", id="no path"),
        pytest.param("README.md", "config.json: is not JSON", id="not JSON"),
        pytest.param("/dev/zero", "config.json: is larger than 1000 kB", id="endless"),
    ],
)
def test_a_config_that_is_not_read_exits_2(capsys, file, message):
    """Whatever is wrong with the file is said in one line."""
    code = main(["size", "--config", file])

    shown = capsys.readouterr()
    assert code == 2
    assert message in shown.err
    assert shown.out == ""


def test_serve_says_when_the_port_is_taken(capsys):
    """A taken port is named with the way out, before anything starts."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        code = main(["--port", str(port)])

    assert code == 2
    assert f"port {port}: Address already in use. Try --port." in capsys.readouterr().err


def test_module_runs_as_a_program():
    """`python -m app` is the same command line."""
    done = subprocess.run([sys.executable, "-m", "app", "size", "--gpus", "0"], capture_output=True, text=True)

    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words", [["--port", "99999"], ["--port", "0"], ["--port", "abc"], ["--workers", "0"], ["--workers", "-1"]]
)
def test_serving_with_a_number_out_of_bounds_is_refused(capsys, words):
    """Before anything listens, with the bounds; never a stack trace."""
    with pytest.raises(SystemExit) as stopped:
        main(["serve", *words])

    assert stopped.value.code == 2
    assert "give a whole number from 1 to" in capsys.readouterr().err
