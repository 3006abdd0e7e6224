"""app/model/remedies.py: every offered change does what it says."""

from urllib.parse import parse_qs

import pytest

from app.model.sizing import size
from app.model.workload import Workload, read_workload

UNFIT = [
    Workload(params=70e9, gpus=8),
    Workload(params=70e9, gpus=8, split_model=False),
    Workload(model="llama-3.1-405b", gpus=64),
    Workload(params=70e9, gpus=512, tensor=1, pipeline=1, zero_stage=0),
    Workload(params=8e9, gpus=1, seq_tokens=131_072),
    Workload(params=70e9, gpus=64, recompute="none", seq_tokens=131_072, context=1),
]


def applied(query: str) -> Workload:
    return read_workload({k: v[0] for k, v in parse_qs(query).items()})


@pytest.mark.parametrize("workload", UNFIT, ids=lambda w: w.query())
def test_every_remedy_makes_it_fit(workload):
    """Applied alone, by its own link."""
    remedies = size(workload).remedies

    assert remedies
    for remedy in remedies:
        assert size(applied(remedy.query)).shape.id != "does_not_fit", remedy.change


@pytest.mark.parametrize("workload", UNFIT[:3], ids=lambda w: w.query())
def test_fewer_gpus_than_offered_do_not_fit(workload):
    """The offered count is the smallest stop of the slider that does."""
    from app.model.fields import FIELDS

    offered = next(applied(r.query).gpus for r in size(workload).remedies if applied(r.query).gpus != workload.gpus)
    stops = [s for s in FIELDS["gpus"].stops if workload.gpus < s < offered]

    for stop in stops[-2:]:
        assert size(workload.changed(gpus=int(stop))).shape.id == "does_not_fit"


def test_a_fitting_design_at_ease_needs_none():
    """Nothing is offered where nothing is over."""
    assert size(Workload()).remedies == ()


def test_a_better_interval_is_offered_to_a_fleet_that_loses_too_much():
    """And it raises goodput."""
    workload = Workload(model="llama-3.1-405b", gpus=16_384, seq_tokens=8192, batch_tokens=2**24)
    answer = size(workload)
    remedy = next(r for r in answer.remedies if "Checkpoint" in r.change)

    assert size(applied(remedy.query)).reliability.goodput > answer.reliability.goodput


def test_more_loaders_are_offered_to_a_starved_run():
    """And no step waits any longer."""
    remedy = size(Workload(data_tokens_per_s=1e5)).remedies[0]

    assert size(applied(remedy.query)).step.loader_wait_seconds == 0


def test_no_interval_is_offered_where_none_helps():
    """A mesh that stops every few milliseconds gets nowhere at any interval, and no button says otherwise."""
    answer = size(Workload(gpus=1_000_000, mtbf_gpu_hours=100, checkpoint_async=True))

    assert [r for r in answer.remedies if "Checkpoint" in r.change] == []
