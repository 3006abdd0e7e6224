"""The pipeline schedule, played tick by tick."""

from itertools import pairwise

import pytest

from app.model.pipeline import idle_fraction, microbatches_alive
from app.model.schedule import Schedule, play


@pytest.mark.parametrize("stages", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("microbatches", [1, 4, 16, 33])
def test_idle_share_of_1f1b_is_the_closed_form(stages: int, microbatches: int) -> None:
    """(p − 1) ÷ (m + p − 1), also with fewer micro-batches than stages."""
    assert play(stages, microbatches).idle_fraction == pytest.approx(float(idle_fraction(stages, microbatches)))


@pytest.mark.parametrize("stages", [2, 3, 8])
@pytest.mark.parametrize("groups", [1, 2, 5])
@pytest.mark.parametrize("chunks", [2, 4, 7])
def test_idle_share_of_interleaved_1f1b_is_the_closed_form(stages: int, groups: int, chunks: int) -> None:
    """(p − 1) ÷ (v·m + p − 1) for whole groups of p micro-batches."""
    played = play(stages, groups * stages, chunks)

    assert played.idle_fraction == pytest.approx(float(idle_fraction(stages, groups * stages, chunks)))


def test_interleaving_wants_whole_groups() -> None:
    """As Megatron does."""
    with pytest.raises(ValueError, match="5 micro-batches are no whole groups of 4"):
        play(4, 5, 2)


def alive(schedule: Schedule, stage: int) -> int:
    """Micro-batches that wait on a stage for their backward pass, at most."""
    row = sorted(schedule.stages[stage], key=lambda w: w.start)
    most = held = 0
    for work in row:
        held += -1 if work.backward else 1
        most = max(most, held)
    return most


@pytest.mark.parametrize("stage", [0, 2, 3])
def test_a_stage_keeps_as_many_micro_batches_as_the_memory_formula_says(stage: int) -> None:
    """1F1B: p − s of them on stage s."""
    assert alive(play(4, 12), stage) == microbatches_alive(4, 12, 1, stage)


@pytest.mark.parametrize(("stages", "microbatches", "chunks"), [(4, 8, 1), (4, 8, 3)])
def test_a_stage_does_one_thing_at_a_time(stages: int, microbatches: int, chunks: int) -> None:
    """No pass starts before the one before it has ended."""
    for row in play(stages, microbatches, chunks).stages:
        assert all(a.start + a.ticks <= b.start for a, b in pairwise(row))


def test_every_pass_is_played_once() -> None:
    """Forward and backward of each micro-batch and chunk, on each stage."""
    for row in play(3, 6, 2).stages:
        assert len({(w.micro_batch, w.chunk, w.backward) for w in row}) == len(row) == 2 * 6 * 2
