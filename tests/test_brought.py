"""What is said of a model that someone brings."""

import json

import pytest

from app.brought import code_of, counts_of_given, counts_of_reading, model_json, named, workload_with
from app.formats.huggingface import read_config
from app.model.model_code import decode
from app.model.transformer import PRESETS
from app.model.units import THIN
from app.model.workload import Workload
from tests.configs import FOLDER, config_text

READ = {path.stem: read_config(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def whole(text: str) -> int:
    return int(text.replace(THIN, ""))


@pytest.mark.parametrize("name", READ)
def test_the_tables_add_up(name):
    """Parts add up to the counts, and the addends of the work to the work, digit for digit."""
    counts = counts_of_reading(READ[name], Workload())
    *parts, total = counts.parts
    *work, flop = counts.work or (None,)

    assert sum(whole(row.params) for row in parts) == whole(total.params) == whole(counts.total)
    assert sum(whole(row.active) for row in parts) == whole(total.active) == whole(counts.active)
    assert flop is None or sum(whole(row.flop) for row in work) == whole(flop.flop)


@pytest.mark.parametrize("name", READ)
def test_a_model_is_opened_or_the_reason_is_said(name):
    """Each has the query of a workload, or a sentence that says why there is no time."""
    counts = counts_of_reading(READ[name], Workload(gpus=128))

    assert bool(counts.query) != bool(counts.untimed)
    assert counts.untimed.endswith("." if counts.untimed else "")


def test_the_work_is_that_of_the_workloads_sequence():
    """Attention grows with the sequence that the lab is set to."""
    short, long = (counts_of_reading(READ["llama-2-7b"], Workload(seq_tokens=s)).work for s in (4096, 8192))

    assert whole(long[1].flop) == 2 * whole(short[1].flop)
    assert "8192 tokens" in long[1].name


def test_the_other_inputs_are_kept():
    """A model that is brought changes the model alone."""
    before = Workload(model="llama-3.1-8b", params=1e9, gpus=512, seq_tokens=8192)
    after = workload_with(before, code_of(READ["qwen3-32b"].model)[0], 32e9)

    assert (after.gpus, after.seq_tokens, after.model) == (512, 8192, None)
    assert after.resolved().params == 32_762_123_264


def test_more_trained_weights_than_the_new_model_has_are_dropped():
    """A leftover of the model before would refuse the new one."""
    before = Workload(params=70e9, trained_params=60e9)

    assert workload_with(before, code_of(READ["gpt2"].model)[0], 124e6).trained_params is None


def test_a_preset_is_counted_too():
    """The page shows the parts of the model that the lab has now."""
    counts = counts_of_given(PRESETS["deepseek-v3"].transformer, Workload(model="deepseek-v3"))

    assert counts.query == "model=deepseek-v3"
    assert whole(counts.total) == PRESETS["deepseek-v3"].transformer.total_params


@pytest.mark.parametrize(
    ("asked", "name"), [("My 7B", "My 7B"), ("", "llama"), ("  \x00\u202e ", "llama"), ("n" * 90, "n" * 60)]
)
def test_a_model_takes_the_name_that_was_asked_for(asked, name):
    """Without what cannot be printed; an empty name keeps that of the file."""
    assert named(READ["llama-2-7b"], asked).model.name == name


def test_the_json_leads_back_to_the_model():
    """`own_model` is the code of the model that was counted."""
    answer = json.loads(model_json(READ["mixtral-8x7b"]))

    assert decode(answer["own_model"]).total_params == answer["total_params"] == 46_702_792_704
    assert sum(part["params"] for part in answer["parts"]) == answer["total_params"]


def test_a_model_beyond_the_lab_is_counted_with_the_reason():
    """A shape that the engine would not take still has its counts."""
    config = {**json.loads(config_text("llama-2-7b")), "num_hidden_layers": 2000}
    counts = counts_of_reading(read_config(json.dumps(config)), Workload())

    assert counts.untimed == "The lab does not size it: it has layers = 2000; the lab sizes 1 to 1000."
    assert whole(counts.total) > 4e11
