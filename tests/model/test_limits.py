"""app/model/limits.py: a figure outside its range says why it may not hold."""

import pytest

from app.model.limits import LIMITS, limits
from app.model.sizing import design
from app.model.workload import Workload

FLEET = Workload(model="llama-3.1-405b", gpus=16384, batch_tokens=16_777_216, seq_tokens=8192)


@pytest.mark.parametrize(
    ("workload", "reason"),
    [
        (Workload(batch_tokens=4_100_000), "A step takes whole sequences: 1001 sequences, so the batch is 4.1M tokens"),
        (Workload(params=70e9, gpus=13, data=1, tensor=4, pipeline=1), "9 of 13 GPUs are idle and paid for"),
        (Workload(gpus=2, tensor=1, pipeline=1, data=1), "1 of 2 GPUs is idle and paid for"),
        (FLEET.changed(checkpoint_minutes=120), "The interval is 64.7\u00a0% of the time between stops"),
        (Workload(params=1e9, pipeline=16, data=1, batch_tokens=8192, gpus=16), "2 micro-batches for 16 stages"),
        (FLEET.changed(pipeline=16, tensor=8, chunks=1), "126 layers do not divide into 16 blocks"),
        (Workload(model="llama-3.1-8b", tensor=3), "32 heads and 8 key-value heads do not divide over tensor 3"),
        (Workload(gpus=131_072), "131\u202f072 GPUs: the largest run behind the time model has 16\u202f384"),
        (Workload(params=5e6), "5M parameters are outside the published models"),
        (Workload(seq_tokens=1_048_576), "1\u202f048\u202f576 tokens a sequence: published runs have 512 to"),
        (Workload(precision="fp8"), "FP8: published runs scatter widely"),
        (Workload(model="mixtral-8x7b", gpus=64), "Experts are taken as evenly loaded"),
        (Workload(mfu=0.4), "Days follow the planning MFU of 40.0\u00a0%"),
    ],
)
def test_what_is_out_of_range_is_said_with_its_numbers(workload, reason):
    """One example for each row of the table."""
    assert [text for text in limits(design(workload)) if text.startswith(reason)]


def test_a_batch_of_whole_sequences_is_not_remarked_on():
    """4,194,304 tokens are 1,024 sequences of 4,096."""
    assert not [text for text in limits(design(Workload())) if "whole sequences" in text]


def test_the_exact_share_stands_beside_the_rule_it_departs_from():
    """At 120 minutes the rule of half an interval says 32.3 % (the seeds' figure)."""
    text = next(t for t in limits(design(FLEET.changed(checkpoint_minutes=120))) if t.startswith("The interval"))

    assert "says 32.3\u00a0% is repeated" in text


def test_every_limit_has_a_range_and_a_quantity():
    """The table is data: a low, a high, and a name for what is measured."""
    assert all(limit.quantity and limit.low <= limit.high for limit in LIMITS)
