"""app/model/exchanges.py: what facts of a stack do to its exchanges."""

from dataclasses import replace

import numpy as np
import pytest

from app.model.calibration import STACKS
from app.model.compute import chip_of
from app.model.layout import Layout
from app.model.step import step_time
from app.model.transformer import transformer_for
from app.model.workload import Workload

BASE = Workload(params=8e9, gpus=64).resolved()
MODEL = transformer_for(BASE)


def layout(**changes: int) -> Layout:
    parts = {
        "tensor": 1, "pipeline": 1, "context": 1, "expert": 1, "data": 64, "zero_stage": 3, "micro_batch": 2,
        "chunks": 1, "recompute": 0, "microbatches": 8,
    }  # fmt: skip
    return Layout(**{**parts, **changes})


def busy(x: Layout, **facts: object) -> float:
    return float(step_time(BASE, MODEL, x, replace(STACKS["standard"], **facts)).busy)


def exposed(kind: str, x: Layout, **facts: object) -> float:
    return float(step_time(BASE, MODEL, x, replace(STACKS["standard"], **facts)).traffic[kind].exposed)


def test_a_stack_in_hand_wins_over_the_one_that_the_workload_names():
    """A table of runs brings its own facts."""
    assert busy(layout(), time=2.0) > 1.7 * busy(layout(), time=1.0)


@pytest.mark.parametrize(
    ("kind", "x", "worse", "better"),
    [
        ("tensor", layout(tensor=8, data=8), {"tensor_overlap": "none"}, {"tensor_overlap": "async"}),
        ("tensor", layout(tensor=8, data=8), {"tensor_overlap": "async"}, {"tensor_overlap": "buffers"}),
        ("data_parallel", layout(zero_stage=1), {"data_overlap": False}, {"data_overlap": True}),
        ("data_parallel", layout(zero_stage=1), {"gradient_bytes": 4}, {"gradient_bytes": 2}),
        ("data_parallel", layout(), {"rails": False}, {"rails": True}),
        ("data_parallel", layout(), {"shard_group": 0}, {"shard_group": 8}),
        ("data_parallel", layout(zero_stage=1), {"serial_broadcast": True}, {"serial_broadcast": False}),
        ("pipeline", layout(pipeline=4, data=16), {"handover_seconds": 0.03}, {"handover_seconds": 0.0}),
    ],
)
def test_a_fact_shows_in_the_exchange_that_it_is_about(kind, x, worse, better):
    """Overlap, 16-bit gradients, all ports, sharding inside the node: each shortens what shows."""
    assert exposed(kind, x, **better) < exposed(kind, x, **worse)


def test_a_handover_costs_nothing_inside_a_node():
    """It is the crossing that is slow."""
    inside = layout(pipeline=4, data=2, zero_stage=1)

    assert exposed("pipeline", inside, handover_seconds=0.5) == exposed("pipeline", inside)


def test_overlap_never_slows_a_step():
    """No exchange shows longer than it takes, for any stack."""
    for stack in STACKS.values():
        for z in (0, 1, 2, 3):
            found = step_time(BASE, MODEL, layout(zero_stage=z, tensor=2, data=32), stack)
            assert all(np.all(t.exposed <= t.seconds * (1 + 1e-9)) for t in found.traffic.values())


def test_tokens_for_one_node_cross_the_network_once():
    """Sending eight copies to eight nodes costs less than eight times one copy."""
    moe = Workload(model="deepseek-v3", gpus=512).resolved()
    x = layout(expert=64, data=512, zero_stage=1, micro_batch=1, microbatches=1)
    found = step_time(moe, transformer_for(moe), x).traffic["expert"]

    assert 0 < float(found.exposed) < float(found.seconds)


def test_attention_stays_in_16_bit_under_fp8():
    """FP8 speeds up the linear layers alone."""
    eight, sixteen = (chip_of(Workload(precision=p).resolved()) for p in ("fp8", "bf16"))

    assert eight.attention_flop_per_s == sixteen.attention_flop_per_s
    assert eight.matmul_flop_per_s > 1.3 * sixteen.matmul_flop_per_s


def test_kernels_of_2024_speed_attention_up():
    """FlashAttention-3 and cuDNN reach twice what earlier kernels did on Hopper."""
    chips = {era: chip_of(BASE, replace(STACKS["standard"], attention=era)) for era in ("fused", "late")}

    assert chips["late"].attention_flop_per_s > 1.5 * chips["fused"].attention_flop_per_s


def test_blocking_launches_weigh_on_small_micro_batches():
    """The wait is the same for one sequence as for eight, so it counts eight times as often."""
    small, large = (layout(zero_stage=1, micro_batch=b, microbatches=16 // b) for b in (1, 8))
    lost = [busy(x, blocking=True) / busy(x) for x in (small, large)]

    assert lost[0] > lost[1] > 1
