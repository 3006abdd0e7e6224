"""app/model/bottlenecks.py: five loads and their words."""

import pytest

from app.model.bottlenecks import MOST, status
from app.model.sizing import design
from app.model.workload import Workload


def loads(**inputs: object) -> dict[str, float]:
    return {b.id: b.load for b in design(Workload(**inputs)).bottlenecks}


@pytest.mark.parametrize(
    ("load", "word"), [(0, "ok"), (0.6999, "ok"), (0.7, "tight"), (0.9999, "tight"), (1, "over"), (9, "over")]
)
def test_the_word_changes_at_the_thresholds(load, word):
    """ok below 0.7, tight below 1, over from 1."""
    assert status(load) == word


def test_each_load_is_the_quotient_it_names():
    """From the design's own figures."""
    d = design(Workload(params=70e9, gpus=512))
    m, s, r = d.memory, d.step, d.reliability
    c = s.communication_seconds
    state = m.weights_bytes + m.gradients_bytes + m.optimizer_bytes

    assert {b.id: b.load for b in d.bottlenecks} == pytest.approx(
        {
            "memory": m.total_bytes / m.usable_bytes,
            "collectives": (c.tensor + c.context + c.expert + c.pipeline + c.data_parallel) / s.compute_seconds,
            "data_pipeline": d.data.needed_tokens_per_s / d.data.supplied_tokens_per_s,
            "activations": m.activations_bytes / (m.usable_bytes - state),
            "failures": (1 - r.goodput) / 0.10,
        }
    )


def test_state_that_leaves_no_room_puts_activations_at_the_end_of_the_scale():
    """A number all the same, and words that say it."""
    d = design(Workload(params=1e12, gpus=8))
    activations = next(b for b in d.bottlenecks if b.id == "activations")

    assert activations.load == MOST
    assert activations.figure.note == "state leaves no room"


def test_starved_loaders_are_over():
    """Half of what is needed is a load of two."""
    needed = design(Workload()).data.needed_tokens_per_s

    assert loads(data_tokens_per_s=needed / 2)["data_pipeline"] == pytest.approx(2, rel=0.2)
