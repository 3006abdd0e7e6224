"""The README runs: its commands, its card, and the files that it shows."""

import json
import re
import shlex
from pathlib import Path

from app.__main__ import main
from app.cards import load_cards
from app.model.sizing import size

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_example_prints_its_number(capsys):
    """One scenario, one command, one number: the one that is printed."""
    words = re.search(r"^\$ \.venv/bin/pretraining-lab (.*)$", README, re.MULTILINE)
    figure, number = re.search(r"`(run\.\w+)` is (\d+\.\d+)", README).groups()
    main(shlex.split(words[1]))
    answer = json.loads(capsys.readouterr().out)

    assert f"{answer['run'][figure.removeprefix('run.')]:.2f}" == number


def test_its_card_is_a_card(tmp_path):
    """Whoever copies it into a folder has a class of one card."""
    (tmp_path / "two.yaml").write_text(re.search(r"```yaml\n(.*?)```", README, re.DOTALL)[1], encoding="utf-8")

    assert [c.id for c in load_cards(tmp_path)] == ["two-nodes"]


def test_its_card_says_what_happens(tmp_path):
    """Two nodes hold the state, as the card promises."""
    (tmp_path / "two.yaml").write_text(re.search(r"```yaml\n(.*?)```", README, re.DOTALL)[1], encoding="utf-8")
    assert size(load_cards(tmp_path)[0].workload).memory.fits


def test_what_it_shows_and_links_is_there():
    """No picture is broken and no link leads nowhere."""
    linked = [path for path in re.findall(r"\]\(([^)]+)\)", README) if "://" not in path]

    assert "docs/lab.png" in linked
    assert [path for path in linked if not (ROOT / path).is_file()] == []
