"""Scenario cards: what they come out as, and how a wrong one is refused."""

from pathlib import Path

import pytest

from app.__main__ import main
from app.cards import SCENARIOS, CardError, all_cards, card_by_id, card_of, load_cards
from app.model.fields import LAYOUT
from app.model.sizing import size
from app.model.workload import Workload
from app.predictions import figure_value

GOOD = """
id: small
order: 1
title: Small
subtitle: 1B on 8 GPUs
watch: The days.
inputs: {params: 1e9, gpus: 8}
"""

PATH = {
    "one-gpu": "single_gpu",
    "data-parallel": "data_parallel",
    "sharded": "sharded_data_parallel",
    "tensor-pipeline": "tensor_pipeline",
    "full-3d": "three_d",
    "fleet": "fleet",
}


def refused(folder: Path, text: str) -> str:
    (folder / "bad.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(CardError) as error:
        load_cards(folder)
    return str(error.value).removeprefix(f"{folder.name}/")


def test_the_path_has_six_cards_in_the_order_of_the_story() -> None:
    """Left to right the design grows from one GPU to a fleet."""
    assert [c.id for c in all_cards()[:6]] == list(PATH)


@pytest.mark.parametrize(("card_id", "shape"), PATH.items())
def test_a_card_of_the_path_comes_out_as_named(card_id: str, shape: str) -> None:
    """The engine, not the card, makes the architecture that the card is named after."""
    card = card_by_id(card_id)

    assert card is not None
    assert size(card.workload).shape.id == shape


PUBLISHED = {
    "megatron-1t": ("run.days", 84, "arXiv:2104.04473, section 5.1: 84 days at 450 billion tokens"),
    "llama-405b": ("run.mfu", 0.41, "arXiv:2407.21783, table 4: 41 % at 16,384 GPUs"),
    "deepseek-v3": ("run.gpu_hours", 2.664e6, "arXiv:2412.19437, table 1: 2,664 K GPU-hours of pretraining"),
}


@pytest.mark.parametrize(("card_id", "published"), PUBLISHED.items(), ids=list(PUBLISHED))
def test_a_card_of_a_real_run_comes_out_near_it(card_id: str, published: tuple[str, float, str]) -> None:
    """Within a tenth, with the software of its time and the layout left to the engine."""
    figure, value, _ = published
    card = card_by_id(card_id)

    assert card is not None
    assert figure_value(size(card.workload), figure) == pytest.approx(value, rel=0.1)


def test_ten_billion_parameters_on_64_gpus_are_sharded() -> None:
    """For many models of that size sharding is the whole design."""
    assert size(Workload(params=10e9, gpus=64, gpu="h100-80gb")).shape.id == "sharded_data_parallel"


def test_full_3d_recomputes_activations() -> None:
    """The fifth card shows what activation checkpointing is for, and leaves it to the engine."""
    card = card_by_id("full-3d")

    assert card is not None
    assert size(card.workload).layout.recompute != "none"


@pytest.mark.parametrize("card", all_cards(), ids=lambda c: c.id)
def test_no_card_fixes_a_part_of_the_layout(card) -> None:
    """Cards set inputs only, never an architecture."""
    assert not {f.name for f in LAYOUT} & {*card.inputs, *card.before}


@pytest.mark.parametrize("card", [c for c in all_cards() if c.prediction and c.prediction.figure], ids=lambda c: c.id)
def test_the_answer_to_a_question_lies_on_its_line(card) -> None:
    """A number line that ends before the result could not show it."""
    value: object = size(card.workload)
    for name in card.prediction.figure.split("."):
        value = getattr(value, name)

    assert card.prediction.low < value < card.prediction.high


def test_a_workload_is_known_by_its_card() -> None:
    """However the address was written, the card of that very workload is marked."""
    card = card_by_id("sharded")

    assert card_of(Workload(params=10e9, data_tokens_per_s=2e6)) == card


def test_a_good_folder_loads(tmp_path: Path) -> None:
    """An own folder needs nothing but its files."""
    (tmp_path / "a.yaml").write_text(GOOD, encoding="utf-8")

    assert [c.workload.gpus for c in load_cards(tmp_path)] == [8]


def test_an_own_folder_replaces_the_cards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class sees the cards of its instructor and no others."""
    (tmp_path / "a.yaml").write_text(GOOD, encoding="utf-8")
    monkeypatch.setenv("PRETRAINING_LAB_SCENARIOS", str(tmp_path))
    all_cards.cache_clear()
    try:
        assert [c.id for c in all_cards()] == ["small"]
    finally:
        all_cards.cache_clear()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("gpus: 8", "gpus: 0", "bad.yaml: inputs.gpus: is 0, below the bound: give a number from 1 to 1 000 000"),
        ("gpus: 8", "gpu: tpu", "bad.yaml: inputs.gpu: is 'tpu': give one of h100-80gb"),
        ("gpus: 8", "tensor: 8", "bad.yaml: inputs.tensor: fixes a part of the layout, which the engine chooses"),
        ("gpus: 8", "gpuz: 8", "bad.yaml: inputs.gpuz: is not an input of the lab"),
        (
            "title: Small",
            "titel: Small",
            "bad.yaml: title: Field required\nbad.yaml: titel: Extra inputs are not permitted",
        ),
        ("order: 1", "order: first", "bad.yaml: order: Input should be a valid integer"),
        ("id: small", "id: [", "bad.yaml: is not YAML: while parsing"),
        ("id: small", "id: " + "[" * 3000, "bad.yaml: is not YAML: maximum recursion depth"),
        ("gpus: 8", "gpus: " + "9" * 10_000, "bad.yaml: is not YAML: Exceeds the limit"),
        (
            "watch: The days.",
            "watch: The days.\nbefore: {trained_params: 2e9}",
            "bad.yaml: before.trained_params: is more than the model has: give a number from 0 to 1 000 000 000",
        ),
        (
            "watch: The days.",
            "watch: The days.\nprediction: {question: 'How long?', kind: number, figure: run.days, low: 1, high: .inf}",
            "bad.yaml: prediction.high: Input should be a finite number",
        ),
        (
            "watch: The days.",
            "watch: The days.\nprediction: {question: 'How long?', kind: number, figure: run.mfu, low: 1, high: 1e300}",
            "bad.yaml: prediction: a number needs low and high, with 1e-06 ≤ low < high ≤ 1e+15",
        ),
        (
            "watch: The days.",
            "watch: x\nprediction: {question: 'How long?', kind: number}",
            "bad.yaml: prediction: a number needs a figure",
        ),
        (
            "watch: The days.",
            "watch: x\nprediction: {question: 'How long?', kind: number, figure: run.pace, low: 1, high: 2}",
            "bad.yaml: prediction.figure: run.pace is no figure of an answer",
        ),
    ],
    ids=[
        "bound",
        "word",
        "layout",
        "input",
        "field",
        "type",
        "yaml",
        "depth",
        "digits",
        "before",
        "infinite",
        "range",
        "question",
        "figure",
    ],
)
def test_a_wrong_card_is_refused_with_file_field_and_cause(tmp_path: Path, old: str, new: str, message: str) -> None:
    """An instructor can mend a card from the message alone."""
    said = refused(tmp_path, GOOD.replace(old, new)).replace(f"{tmp_path.name}/", "").replace("\u202f", " ")

    assert said.startswith(message)


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    """A folder or a broken link called *.yaml is refused as a card, not as a crash."""
    (tmp_path / "a.yaml").mkdir()
    (tmp_path / "b.yaml").symlink_to(tmp_path / "gone")

    with pytest.raises(CardError, match=r"a\.yaml: cannot be read: Is a directory\n.*b\.yaml: cannot be read: No such"):
        load_cards(tmp_path)


def test_two_cards_of_one_id_are_refused(tmp_path: Path) -> None:
    """A link to a card means one card."""
    (tmp_path / "a.yaml").write_text(GOOD, encoding="utf-8")

    assert "small: id: two cards have it" in refused(tmp_path, GOOD)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    """A mistyped folder is said at start, not found in class."""
    with pytest.raises(CardError, match=r"has no \*\.yaml file; PRETRAINING_LAB_SCENARIOS names the folder"):
        load_cards(tmp_path)


def test_every_file_of_the_lab_is_a_card() -> None:
    """No scenario lies about unused."""
    assert len(load_cards(SCENARIOS)) == len(list(SCENARIOS.iterdir()))


def test_serving_stops_at_a_wrong_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command line prints each fault and exits with 2, before it listens."""
    (tmp_path / "bad.yaml").write_text(GOOD.replace("gpus: 8", "gpus: many"), encoding="utf-8")
    monkeypatch.setenv("PRETRAINING_LAB_SCENARIOS", str(tmp_path))
    all_cards.cache_clear()
    code = main(["serve"])
    all_cards.cache_clear()

    assert code == 2
    assert "bad.yaml: inputs.gpus: is 'many', not a number" in capsys.readouterr().err
