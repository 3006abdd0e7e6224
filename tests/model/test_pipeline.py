"""app/model/pipeline.py against schedules played tick by tick."""

import pytest

from app.model.pipeline import bubble_over_ideal, idle_fraction, microbatches_alive


def play_1f1b(stages: int, microbatches: int) -> tuple[int, list[int]]:
    """Ticks of a 1F1B step (forward 1, backward 1) and the most micro-batches alive on each stage."""
    orders = []
    for stage in range(stages):
        warm = min(microbatches, stages - stage)
        order = [("F", i) for i in range(warm)]
        for i in range(microbatches):
            order.append(("B", i))
            if warm + i < microbatches:
                order.append(("F", warm + i))
        orders.append(order)
    done: dict[tuple[str, int, int], int] = {}
    alive, most, tick = [0] * stages, [0] * stages, 0
    while any(orders):
        started = []
        for stage, order in enumerate(orders):
            if order and _ready(*order[0], stage, stages, done, tick):
                started.append((stage, order.pop(0)))
        for stage, (kind, i) in started:
            done[kind, i, stage] = tick
            alive[stage] += 1 if kind == "F" else -1
            most[stage] = max(most[stage], alive[stage] + (kind == "B"))
        tick += 1
    return tick, most


def _ready(kind: str, i: int, stage: int, stages: int, done: dict[tuple[str, int, int], int], tick: int) -> bool:
    if kind == "F":
        need = None if stage == 0 else ("F", i, stage - 1)
    else:
        need = ("F", i, stage) if stage == stages - 1 else ("B", i, stage + 1)
    return need is None or done.get(need, tick) < tick


GRID = [(p, m) for p in (1, 2, 3, 4, 8) for m in (1, 2, 4, 7, 16)]


@pytest.mark.parametrize(("stages", "microbatches"), GRID)
def test_idle_share_is_that_of_a_played_schedule(stages, microbatches):
    """(p − 1) ÷ (m + p − 1), whatever p and m."""
    ticks, _ = play_1f1b(stages, microbatches)

    assert idle_fraction(stages, microbatches) == pytest.approx(1 - 2 * microbatches / ticks)


@pytest.mark.parametrize(("stages", "microbatches"), GRID)
def test_bubble_over_ideal_is_that_of_a_played_schedule(stages, microbatches):
    """(p − 1) ÷ m, whatever p and m."""
    ticks, _ = play_1f1b(stages, microbatches)

    assert bubble_over_ideal(stages, microbatches) == pytest.approx(ticks / (2 * microbatches) - 1)


@pytest.mark.parametrize(("stages", "microbatches"), GRID)
def test_each_stage_keeps_as_many_microbatches_as_the_played_one(stages, microbatches):
    """min(m, p − stage) under 1F1B."""
    _, most = play_1f1b(stages, microbatches)

    assert [int(microbatches_alive(stages, microbatches, 1, s)) for s in range(stages)] == most


@pytest.mark.parametrize("stages", [2, 4, 16])
@pytest.mark.parametrize("chunks", [2, 4])
def test_interleaving_keeps_the_published_surplus_on_the_first_stage(stages, chunks):
    """p·(1 + (p − 1) ÷ (p·v)): Korthikanti et al. 2022, section 4.2.3."""
    alive = microbatches_alive(stages, 1000, chunks, 0)

    assert alive == pytest.approx(stages * (1 + (stages - 1) / (stages * chunks)))
