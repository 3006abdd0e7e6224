"""app/model/runs.py and software.py: a row of a table, read without its results."""

import pytest

from app.model.calibration import STACKS
from app.model.runs import RESULTS, Unreadable, measured, read_rows, read_runs, run_of
from app.model.software import link_gb_per_s, memory_of, stack_of
from app.model.sources import DATA
from app.model.validation import compare, validate

ROWS = read_rows(DATA / "published_runs.csv")
ROW = {
    "id": "a", "source": "mine", "model": "7B", "layers": "32", "hidden": "4096", "heads": "32", "vocab": "32000",
    "seq_len": "4096", "global_batch_seqs": "256", "gpu": "H100-80GB", "gpus": "64", "tp": "2", "pp": "1",
    "dtype": "bf16", "micro_batch_seqs": "2", "recompute": "none", "framework": "torchtitan FSDP2", "step_time_s": "3",
}  # fmt: skip


def row(**changes: str) -> dict[str, str]:
    return {**ROW, **changes}


def test_no_prediction_depends_on_a_result():
    """Blanking or scrambling every result column leaves each predicted time and memory as it was."""
    scrambled = [{**r, **{c: str(7.7 * (i + 1)) if i % 2 else "" for c in RESULTS}} for i, r in enumerate(ROWS)]
    before, after = ([(r.id, r.predicted_step_seconds, r.predicted_memory_bytes) for r in validate(t).runs]
                     for t in (ROWS, scrambled))  # fmt: skip

    assert before == after


def test_every_row_is_predicted_or_listed_with_a_reason():
    """No row disappears."""
    found = validate(ROWS)

    assert len(found.runs) + len(found.skipped) == len(ROWS)
    assert all(s["why"] for s in found.skipped)


def test_data_parallel_size_is_what_the_other_sizes_leave():
    """64 GPUs in tensor pairs hold 32 replicas of 8 sequences: four micro-batches of two."""
    run = run_of(row(), "a")

    assert (run.layout.data, run.layout.microbatches, run.layout.micro_batch) == (32, 4, 2)


def test_tokens_per_second_become_a_step_time():
    """A row without a step time has one from its rate: 256 × 4096 tokens over 64 GPUs at 4096 a second."""
    assert measured(row(step_time_s="", tokens_per_s_per_gpu="4096")).step_seconds == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"gpu": "Abacus 9"}, "no accelerator Abacus 9"),
        ({"tp": "5"}, "do not divide"),
        ({"pp": "64", "tp": "1"}, "64 pipeline stages for 32 layers"),
        ({"hidden": ""}, "does not state hidden"),
        ({"gpus": "many"}, "does not state gpus"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused_with_the_reason(changes, why):
    """The reason names the value that is at fault."""
    with pytest.raises(Unreadable, match=why):
        run_of(row(**changes), "a")


def test_a_run_without_an_id_is_known_by_its_line():
    """The first run stands on line 2."""
    _, skipped = read_runs([row(id="", gpu="")])

    assert skipped[0][0] == "line 2"


@pytest.mark.parametrize(
    ("changes", "stack"),
    [
        ({"framework": "Megatron-LM", "year": "2021"}, "megatron-2021"),
        ({"framework": "Megatron-LM", "year": "2022"}, "megatron-2022"),
        ({"framework": "NeMo 25.02+"}, "nemo"),
        ({"framework": "NeMo AutoModel (FSDP2)"}, "pytorch-eager"),
        ({"framework": "Megatron-DeepSpeed"}, "megatron-deepspeed"),
        ({"framework": "torchtitan FSDP2", "notes": "torch.compile"}, "torchtitan"),
        ({"framework": "torchtitan FSDP2", "notes": "no compile"}, "pytorch-eager"),
        ({"framework": "something new"}, "standard"),
        ({"framework": "something new", "stack": "nemo"}, "nemo"),
    ],
)
def test_a_framework_names_its_stack(changes, stack):
    """By name and year; a column `stack` wins."""
    assert stack_of(row(**changes))[0] == stack


def test_facts_of_a_row_replace_those_of_its_stack():
    """What a row says of itself holds over its stack; the multiplier stays the stack's."""
    _, stack = stack_of(row(framework="InternEvo", notes="zero1 group=8", sequence_parallel="1"))

    assert (stack.shard_group, stack.sequence_parallel) == (8, True)
    assert stack.time == STACKS["internevo"].time


def test_a_stated_network_wins_over_the_usual_one():
    """A column link_gb_per_s; else 50 GB/s for an H100 and 25 for an A100."""
    assert [link_gb_per_s(row(**c)) for c in ({}, {"gpu": "A100-80GB"}, {"link_gb_per_s": "12"})] == [50, 25, 12]


def test_memory_is_read_in_its_own_unit():
    """GiB where a tool prints binary units, GB where the source says so."""
    assert memory_of(row())["unit_bytes"] == 2**30
    assert memory_of(row(notes="mem GB as printed"))["unit_bytes"] == 1e9


def test_what_a_source_leaves_open_is_chosen_and_told():
    """Empty micro-batch, recompute and chunks come back as what the engine chose."""
    open_row = row(micro_batch_seqs="", recompute="", pp="4", tp="1", framework="NeMo 25.02+")
    compared = compare(run_of(open_row, "a"), open_row)

    assert set(compared.chosen) == {"micro_batch", "chunks", "recompute"}


def test_a_stack_that_cannot_interleave_keeps_one_chunk():
    """DeepSpeed's pipeline runs one chunk a stage: nothing is left to choose."""
    assert "chunks" not in run_of(row(framework="Megatron-DeepSpeed", pp="4", tp="1"), "a").open_axes
