"""app/model/search.py: the choice among all layouts."""

import numpy as np
import pytest

from app.model.hardware import ACCELERATORS
from app.model.layout import sequences
from app.model.search import HEADROOM, WITHIN, choose, fullest_bytes, scores, top_layouts
from app.model.step import loader_wait, step_time
from app.model.transformer import transformer_for
from app.model.workload import Workload

CASES = [
    Workload(),
    Workload(params=70e9, gpus=512),
    Workload(model="mixtral-8x7b", gpus=256),
    Workload(model="llama-3.1-405b", gpus=16_384, seq_tokens=8192, batch_tokens=2**24),
]


def found(workload: Workload):
    resolved = workload.resolved()
    return scores(resolved, transformer_for(resolved))


@pytest.mark.parametrize("workload", CASES, ids=str)
def test_columns_score_as_one_layout_at_a_time_does(workload):
    """The mesh gives the same seconds and bytes as plain numbers, on cells picked at random."""
    all_scores = found(workload)
    w, model = all_scores.workload, all_scores.model
    for index in np.random.default_rng(7).choice(np.flatnonzero(all_scores.mesh.legal), 25):
        x = all_scores.mesh.columns.at(int(index), all_scores.mesh.shape)
        busy = step_time(w, model, x).busy
        seconds = busy + loader_wait(w, sequences(w) * w.seq_tokens, busy)
        assert all_scores.seconds.flat[index] == pytest.approx(float(seconds))
        assert all_scores.bytes.flat[index] == pytest.approx(float(fullest_bytes(w, model, x)))


@pytest.mark.parametrize("workload", CASES, ids=str)
def test_the_fastest_goal_takes_the_least_time(workload):
    """Among the layouts that leave headroom."""
    all_scores = found(workload.changed(goal="fastest"))
    best, _ = choose(all_scores)
    roomy = all_scores.fits & (all_scores.bytes <= HEADROOM * ACCELERATORS[workload.gpu].usable_bytes)

    assert all_scores.seconds.flat[best] == all_scores.seconds[roomy].min()


@pytest.mark.parametrize("workload", CASES, ids=str)
def test_the_simplest_goal_stays_within_reach_of_the_fastest(workload):
    """At most `WITHIN` times the fastest."""
    all_scores = found(workload)
    best, _ = choose(all_scores)
    roomy = all_scores.fits & (all_scores.bytes <= HEADROOM * ACCELERATORS[workload.gpu].usable_bytes)

    assert all_scores.seconds.flat[best] <= WITHIN * all_scores.seconds[roomy].min()


@pytest.mark.parametrize("workload", CASES, ids=str)
def test_the_runner_up_splits_the_work_otherwise(workload):
    """It differs in tensor, pipeline, context or expert size, or in whether state is sharded."""
    all_scores = found(workload)
    best, second = choose(all_scores)
    one, two = (all_scores.candidate(i).layout for i in (best, second))

    split = [(x.tensor, x.pipeline, x.context, x.expert, x.zero_stage > 0) for x in (one, two)]
    assert split[0] != split[1]


def test_the_layout_nearest_to_fitting_is_shown_when_none_fits():
    """It needs the least memory of all."""
    all_scores = found(Workload(params=1e12, gpus=8))
    best, second = choose(all_scores)

    assert all_scores.bytes.flat[best] == all_scores.bytes[all_scores.mesh.legal].min()
    assert second is None


def test_an_alternative_keeps_what_was_fixed():
    """And is the fastest of those that fit."""
    other = found(Workload(params=70e9, gpus=512)).alternative(pipeline=8, recompute="full")

    assert (other.layout.pipeline, other.layout.recompute) == (8, "full")
    assert other.fits


def test_an_alternative_that_the_search_does_not_hold_is_none():
    """The search keeps tensor groups in the node."""
    assert found(Workload(params=70e9, gpus=512)).alternative(tensor=16) is None


def test_top_layouts_come_fastest_first():
    """As many as asked for, each of them fitting."""
    workload = Workload(params=70e9, gpus=512).resolved()
    top = top_layouts(workload, transformer_for(workload), 12)

    seconds = [c.step_seconds for c in top]
    assert len(top) == 12
    assert seconds == sorted(seconds)
    assert all(c.fits for c in top)
