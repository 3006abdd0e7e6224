"""The key figures."""

from dataclasses import replace

from app.figures import keys
from tests.samples import sized, sized_before


def test_a_design_that_fits_shows_days_mfu_memory_goodput_and_cost():
    """The five figures that matter, in this order."""
    ids = [k.figure.id for k in keys(sized("fleet"), None)]

    assert ids == ["run.wall_days", "run.mfu", "memory.total_bytes", "reliability.goodput", "run.cost"]


def test_a_design_that_does_not_fit_shows_how_far_it_is_from_it():
    """Memory, whole state, state on a GPU, GPUs for state, and the time if it did."""
    labels = [k.label for k in keys(sized("too big"), None)]

    assert labels == ["Memory a GPU", "Whole state", "State on a GPU", "GPUs for state", "Time, if it did"]


def test_state_on_a_gpu_is_its_weights_gradients_and_optimizer():
    """70.6B parameters at 16 bytes over 8 GPUs are 141 GB."""
    assert [k.figure.text for k in keys(sized("too big"), None)][2] == "141"


def test_each_figure_says_what_it_was():
    """The figure of the design before, in the same words."""
    now, was = sized("fleet"), sized_before("fleet")

    assert all(k.was.startswith("was ") for k in keys(now, was))
    assert all(k.was == "" for k in keys(now, None))


def test_another_unit_is_said():
    """What was in GB before a figure in TB keeps its own unit."""
    state = next(k for k in keys(sized("too big"), sized_before("too big")) if k.label == "Whole state")

    assert (state.unit, state.was) == ("TB", "was 128 GB")


def test_years_are_not_called_days():
    """A run of more than ten years is told in years."""
    s = sized("fleet")
    long = replace(s, run=replace(s.run, wall_days=1e6, days=1e5))

    assert (keys(long, None)[0].label, keys(long, None)[0].unit) == ("Time with stops", "k years")


def test_two_units_under_one_figure_are_both_said():
    """A run of days that stops stretch to years: its days are not read as years."""
    s = sized("fleet")
    stretched = replace(s, run=replace(s.run, wall_days=1e6, days=8.11))

    assert keys(stretched, None)[0].note_after == "d without stops"


def test_no_goodput_to_speak_of_is_below_a_tenth_of_a_percent():
    """A goodput of 1e-9 is not written out."""
    s = sized("fleet")
    lost = replace(s, reliability=replace(s.reliability, goodput=1e-9))

    assert keys(lost, None)[3].figure.text == "< 0.1"
