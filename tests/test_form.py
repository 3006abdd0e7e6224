"""The form: texts that read back, scales, and what it says about bad input."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.form import exact_text, fixed_text, form_of, nearest_stop, readable, scale_of, was_query
from app.model.fields import FIELDS, SLIDERS
from app.model.sizing import size
from app.model.units import parse_number
from app.model.workload import Problem, Workload


@given(st.floats(min_value=1e-3, max_value=1e16))
def test_every_text_of_a_box_reads_back_as_the_same_value(value: float) -> None:
    """A form that is sent unchanged changes nothing."""
    assert parse_number(exact_text(value)) == value


@pytest.mark.parametrize("field", SLIDERS, ids=lambda f: f.name)
def test_every_stop_of_a_slider_reads_back(field) -> None:
    """What a slider writes into its box is the stop on which it stands."""
    assert tuple(parse_number(t) for t in scale_of(field.name).texts) == field.stops


@pytest.mark.parametrize("field", SLIDERS, ids=lambda f: f.name)
def test_a_scale_has_two_to_five_labels(field) -> None:
    """Enough to read a position by, few enough for 260 pixels."""
    assert 2 <= sum(bool(t.label) for t in scale_of(field.name).ticks) <= 5


def test_the_nearest_stop_is_nearest_by_ratio() -> None:
    """Between 1 and 4 the value 2.1 lies nearer to 4."""
    assert nearest_stop(2.1, (1.0, 4.0)) == 1


def test_a_preset_locks_the_parameters_at_its_own_count() -> None:
    """The slider of a preset shows its count and cannot be moved."""
    params = form_of(Workload(model="llama-3.1-70b")).sliders[0]

    assert (params.text, params.locked) == ("70.6B", True)


def test_freeing_a_preset_keeps_its_count() -> None:
    """The link beside a locked slider leads to the same size without the preset."""
    assert form_of(Workload(model="gpt-neox-20b", gpus=8)).free_query.startswith("params=20554567680")


def test_empty_boxes_show_what_the_engine_chose() -> None:
    """Empty means derived, and the derived value is in sight."""
    workload = Workload()
    now = size(workload)
    form = form_of(workload, now)
    hints = {i.field.name: i.hint for i in (*form.layout, *form.experts)}

    assert hints["data"] == str(now.layout.data)
    assert hints["train_tokens"] == "160B"


def test_the_slider_before_a_drag_is_marked() -> None:
    """A ghost stands where the slider stood, and nowhere else."""
    form = form_of(Workload(gpus=128), was=Workload(gpus=64))
    ghosts = {i.field.name: i.ghost for i in form.sliders if i.ghost is not None}

    assert ghosts == {
        "gpus": FIELDS["gpus"].stops.index(64.0),
        "data_tokens_per_s": nearest_stop(2e6, FIELDS["data_tokens_per_s"].stops),
    }


@pytest.mark.parametrize(
    ("workload", "text"),
    [
        (Workload(), "nothing fixed"),
        (Workload(tensor=8), "1 part fixed"),
        (Workload(tensor=8, mfu=0.4), "2 parts fixed"),
    ],
)
def test_the_drawer_counts_what_is_fixed(workload: Workload, text: str) -> None:
    """A closed drawer says whether it holds anything."""
    assert fixed_text(workload) == text


def test_readable_drops_bad_inputs_only() -> None:
    """One bad value leaves the other inputs as they were typed."""
    workload, problems = readable({"gpus": "0", "params": "70B", "colour": "red"})

    assert workload == Workload(params=70e9)
    assert {p.field for p in problems} == {"gpus", "colour"}


def test_a_refused_value_stays_in_its_box() -> None:
    """Nobody types a long number twice."""
    form = form_of(Workload(), problems=[Problem("gpus", "6r4", "is '6r4', not a number")])

    assert (form.sliders[1].text, form.sliders[1].error) == ("6r4", "GPU count is '6r4', not a number.")


def test_the_default_workload_can_be_compared_with() -> None:
    """Its query is empty, which alone would mean that nothing came before."""
    assert was_query(Workload()) == "gpus=64"
