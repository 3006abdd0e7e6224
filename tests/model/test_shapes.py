"""app/model/shapes.py: name, heading and reasons of a shape."""

import pytest

from app.model.shapes import excess_bytes, shape, shape_name, shape_title
from app.model.sizing import design
from app.model.workload import Workload

SHARDED = Workload(params=10e9, gpus=64)
FLEET = Workload(
    model="llama-3.1-405b", gpus=16384, batch_tokens=16_777_216, seq_tokens=8192,
    tensor=8, pipeline=16, context=1, zero_stage=1, micro_batch=1, chunks=1, recompute="full",
)  # fmt: skip
TOO_BIG = Workload(model="llama-3.1-70b", gpus=8, split_model=False)


@pytest.mark.parametrize(
    ("workload", "title"),
    [
        (Workload(params=1e9, gpus=1), "One GPU"),
        (Workload(params=1e9, gpus=8, zero_stage=0, tensor=1, pipeline=1), "Data parallel on 8 GPUs"),
        (SHARDED, "Sharded data parallel on 64 GPUs"),
        (SHARDED.changed(tensor=8, pipeline=1), "Tensor + data parallel on 64 GPUs"),
        (SHARDED.changed(tensor=1, pipeline=8), "Pipeline + data parallel on 64 GPUs"),
        (SHARDED.changed(tensor=8, pipeline=8), "Tensor + pipeline on 64 GPUs"),
        (SHARDED.changed(tensor=2, pipeline=2, context=1), "Full 3D on 64 GPUs"),
        (SHARDED.changed(tensor=1, pipeline=1, context=2, seq_tokens=32768),
         "Sharded data parallel with context parallel on 64 GPUs"),
        (FLEET, "Fleet: full 3D on 16\u202f384 GPUs"),
    ],
)  # fmt: skip
def test_the_title_names_what_is_split_over_how_many_gpus(workload, title):
    """One title for each kind of layout."""
    assert shape_title(design(workload)) == title


def test_what_does_not_fit_says_by_how_much_and_where():
    """The excess of the fullest GPU, over what a process can allocate."""
    now = design(TOO_BIG)
    excess = f"{excess_bytes(now) / 1e9:.1f}"

    assert shape_title(now) == f"Does not fit: {excess}\u00a0GB too much on every GPU"


def test_an_excess_that_differs_is_the_most_of_all():
    """Every stage is too big, the second the most: the others are not said to lack as much."""
    fixed = {"pipeline": 37, "context": 25, "zero_stage": 1, "micro_batch": 32, "chunks": 10}
    now = design(Workload(model="megatron-1t", gpus=1237, gpu="h800-80gb", **fixed))

    assert shape_title(now).startswith("Does not fit: up to ")
    assert shape_title(now).endswith("too much on every GPU")


def test_an_excess_of_some_stages_names_the_fullest():
    """Only the first stage is too big: it is named, counted from 1."""
    now = design(Workload(model="llama-3.1-405b", gpus=128, tensor=8, pipeline=16, recompute="none", seq_tokens=8192))
    full = now.memory

    assert not full.fits
    if sum(s.total_bytes > full.usable_bytes for s in full.stages) < len(full.stages):
        assert f"stage {full.fullest_stage + 1}" in shape_title(now)
    assert f"of {len(full.stages)} would hold" in shape(now, None).reasons[0]


def test_the_part_that_is_too_big_is_named_with_its_bytes():
    """Llama 70B sharded over 8 GPUs: the optimizer's slice alone is more than a GPU holds."""
    reasons = shape(design(TOO_BIG), None).reasons

    assert "optimizer state (106\u00a0GB)" in reasons[0]
    assert reasons[1] == "The optimizer state alone is more than a GPU holds."


def test_reasons_start_from_the_state():
    """10B at 16 bytes are 160 GB, two GPUs of 80 GB (the worked example of the seeds)."""
    reasons = shape(design(SHARDED), None).reasons

    assert reasons[0] == (
        "10B parameters make 160\u00a0GB of training state: at least 2 GPUs of 80\u00a0GB for it alone."
    )


def test_a_changed_shape_names_the_one_before():
    """The last reason is what it was."""
    assert shape(design(FLEET), design(SHARDED)).reasons[-1] == "Before, it was sharded data parallel."


def test_a_fixed_layout_of_more_gpus_than_there_are_says_so():
    """No stage is too big; the GPUs are too few."""
    now = design(Workload(params=1e9, gpus=4, tensor=8))

    assert shape_name(now) == "no layout that fits"
    assert shape_title(now).startswith("Does not fit: ")
