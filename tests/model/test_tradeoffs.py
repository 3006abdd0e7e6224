"""app/model/tradeoffs.py: six decisions, each with what it cost and what another would bring."""

import pytest
from hypothesis import given, settings

from app.model.phrases import share, size, span
from app.model.reliability import goodput
from app.model.search import scores
from app.model.sizing import design
from app.model.tradeoffs import crossing, tradeoffs
from app.model.transformer import transformer_for
from app.model.workload import Workload
from tests.workloads import fixed_workloads

many = settings(max_examples=40, deadline=None)
IDS = ["parallelism", "gradient_sync", "activation_memory", "checkpoint_recovery", "data_throughput", "topology"]
FLEET = Workload(model="llama-3.1-405b", gpus=16384, batch_tokens=16_777_216, seq_tokens=8192)
SHARDED = Workload(params=8e9, gpus=64, data_tokens_per_s=1e9)


def decisions(workload: Workload) -> dict:
    now = design(workload)
    found = scores(workload.resolved(), transformer_for(workload.resolved()))
    return {t.id: t for t in tradeoffs(now, found.alternative)}


@many
@given(fixed_workloads)
def test_six_decisions_each_say_what_was_chosen_paid_and_passed_over(workload):
    """In the order of the page, nothing empty."""
    found = decisions(workload)

    assert list(found) == IDS
    assert all(t.chose and t.paid and t.instead for t in found.values())


def test_a_split_is_paid_in_bubble_and_exchange():
    """The seconds are the step's own."""
    step = design(FLEET).step
    exchange = step.tensor_exposed_seconds + step.context_exposed_seconds + step.pipeline_exposed_seconds
    losses = f"{span(step.bubble_seconds)} of bubble and {span(exchange)} of exchange in sight"

    assert decisions(FLEET)["parallelism"].paid == f"{losses} in each {span(step.seconds)} step"


def test_another_zero_stage_is_scored_by_the_search():
    """The alternative's step or memory, not a rule of thumb."""
    asked = SHARDED.resolved()
    other = scores(asked, transformer_for(asked)).alternative(zero_stage=3)
    instead = decisions(SHARDED)["gradient_sync"].instead

    assert instead.startswith("ZeRO 3: ")
    assert (span(other.step_seconds) if other.fits else size(other.memory_bytes)) in instead


def test_the_best_interval_is_offered_with_its_exact_goodput():
    """Daly's interval through the same closed form."""
    stops = design(FLEET).reliability
    best = 60 * stops.optimal_checkpoint_minutes
    exact = goodput(best, stops.checkpoint_write_seconds, 3600 * stops.hours_between_stops, 600)

    assert f"goodput {share(exact)}, not {share(stops.goodput)}" in decisions(FLEET)["checkpoint_recovery"].instead


def test_starved_loaders_are_told_what_would_end_the_wait():
    """The step without its wait."""
    step = design(SHARDED.changed(data_tokens_per_s=1e5)).step
    found = decisions(SHARDED.changed(data_tokens_per_s=1e5))["data_throughput"]

    assert found.paid.startswith(f"Each step waits {span(step.loader_wait_seconds)}")
    assert found.instead.endswith(f"{span(step.seconds - step.loader_wait_seconds)} a step")


def test_a_fixed_recompute_level_is_not_second_guessed():
    """The switch rules the other level out."""
    found = decisions(SHARDED.changed(recompute="full"))["activation_memory"]

    assert found.instead == "Everything kept is ruled out: the switch says full"


@pytest.mark.parametrize(
    ("workload", "across"),
    [
        (SHARDED.changed(gpus=8), []),
        (SHARDED, ["data_parallel"]),
        (SHARDED.changed(tensor=8, pipeline=1), ["data_parallel"]),
        (SHARDED.changed(tensor=8, pipeline=8), ["pipeline"]),
    ],
)
def test_a_group_crosses_nodes_when_it_outgrows_one(workload, across):
    """Tensor innermost, then context, then data; stages wherever the mesh is larger than a node."""
    assert crossing(design(workload)) == across
