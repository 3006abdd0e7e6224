"""app/model/evolution.py: why a design is as it is, and why it changed."""

from hypothesis import given, settings

from app.model.evolution import why
from app.model.sizing import design
from app.model.workload import Workload
from tests.workloads import fixed_workloads

many = settings(max_examples=60, deadline=None)


@many
@given(fixed_workloads, fixed_workloads)
def test_a_change_has_one_lead_one_cause_one_limit_and_then_rows(now, before):
    """For any two workloads."""
    kinds = [w.kind for w in why(design(now), design(before))]

    assert kinds[:3] == ["lead", "cause", "binds"]
    assert set(kinds[3:]) <= {"change"}


@many
@given(fixed_workloads)
def test_a_design_compared_with_itself_is_explained_alone(workload):
    """Nothing moved: no rows and nothing of 'before'."""
    now = design(workload)

    assert why(now, now) == why(now, None)
    assert [w.kind for w in why(now, None)] == ["lead", "cause", "binds"]


def test_a_model_that_one_gpu_holds_is_not_split():
    """1B on one GPU."""
    assert why(design(Workload(params=1e9, gpus=1)), None)[0].text == "One GPU holds it all: nothing forces a split."


def test_state_above_one_gpu_forces_the_split():
    """10B at 16 bytes: 160 GB on GPUs of 80."""
    lead = why(design(Workload(params=10e9, gpus=64)), None)[0].text

    assert lead == "State is 1.9 times what one GPU holds: memory forces the split."


def test_what_does_not_fit_names_the_part_and_its_bytes():
    """The largest part of the fullest GPU."""
    lead = why(design(Workload(model="llama-3.1-70b", gpus=8, split_model=False)), None)[0].text

    assert lead == "Nothing fits: optimizer state wants 106\u00a0GB of a GPU sold as 80\u00a0GB."
