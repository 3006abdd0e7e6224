"""The arithmetic behind each figure: its formula gives the figure, and all it needs is told."""

import math
from dataclasses import asdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.model.calibration import STACKS
from app.model.derivations import FIGURES, INNER, derivation
from app.model.derivations.expression import constants, names
from app.model.design import Design
from app.model.sizing import design
from app.model.workload import Workload
from tests.samples import WORKLOADS
from tests.workloads import fixed_workloads, workloads

NO_NUMBERS = {"memory.fits", "memory.fullest_stage", "memory.stages", "layout.recompute"}
SECTIONS = ("memory", "step", "pipeline", "run", "data", "reliability", "layout")
ODD = {
    **{f"stack {id}": {**WORKLOADS["fleet"], "stack": id} for id in STACKS},
    **{f"experts on {id}": {**WORKLOADS["experts"], "stack": id} for id in STACKS},
    "sharded": {"zero_stage": 3, "precision": "fp8", "recompute": "full", "bytes_per_param": 18},
    "gradients sharded": {"zero_stage": 2, "stack": "nemo"},
    "few trained": {"trained_params": 1e9, "bytes_per_param": 20},
    "none trained": {"trained_params": 0},
    "fp32": {"precision": "fp32"},
    "planned": {"mfu": 0.4},
    "own run": {"measured_step_seconds": 20},
    "kept async": {"checkpoint_async": True},
    "seldom": {**WORKLOADS["million"], "checkpoint_minutes": 100_000},
    "slow store": {**WORKLOADS["million"], "checkpoint_gb_per_s": 0.001},
    "starved": {"data_tokens_per_s": 1000},
    "odd experts": {"model": "mixtral-8x7b", "gpus": 48, "context": 3, "expert": 4},
    "stages": {**WORKLOADS["fleet"], "stack": "llm-foundry", "zero_stage": 1},
}
SAMPLES = {**WORKLOADS, **ODD}


def leaves(tree: object, path: str) -> dict[str, float]:
    """Every number under a path, by its own path."""
    if isinstance(tree, dict):
        return {k: v for name, part in tree.items() for k, v in leaves(part, f"{path}.{name}").items()}
    return {} if path in NO_NUMBERS else {path: float(tree)}  # type: ignore[arg-type]


def figures(d: Design) -> dict[str, float]:
    """All figures of the lab, by their path in the JSON."""
    found = {k: v for s in SECTIONS for k, v in leaves(asdict(getattr(d, s)), s).items() if k not in NO_NUMBERS}
    return found | {f"bottlenecks.{b.id}.load": b.load for b in d.bottlenecks}


def disagreements(d: Design) -> list[tuple[str, float, float]]:
    """Figures whose own arithmetic gives something else; below a billionth all are alike."""
    pairs = [(id, derivation(d, id).readings[0].value, value) for id, value in figures(d).items()]
    return [p for p in pairs if not math.isclose(p[1], p[2], rel_tol=1e-9, abs_tol=1e-9)]


def test_every_figure_has_its_arithmetic():
    """No number of the JSON is without a derivation, and none is made up."""
    assert figures(design(Workload())).keys() == FIGURES.keys()


@pytest.mark.parametrize("name", SAMPLES)
def test_the_arithmetic_gives_the_figure(name):
    """What the formula gives with the numbers of its table is the engine's figure."""
    assert disagreements(design(Workload(**SAMPLES[name]))) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(workloads | fixed_workloads, st.sampled_from(list(STACKS)))
def test_the_arithmetic_gives_the_figure_of_any_workload(workload, stack):
    """Random workloads, on every stack."""
    assert disagreements(design(workload.model_copy(update={"stack": stack}))) == []


def everything(d: Design) -> list:
    """All readings of all derivations, those that are opened from others too."""
    inner = [derivation(d, t.figure) for t in opened(d) if t.figure in INNER]
    return [(x.id, r) for x in [*(derivation(d, id) for id in FIGURES), *inner] for r in x.readings]


def opened(d: Design) -> list:
    first = [t for id in FIGURES for r in derivation(d, id).readings for t in r.terms if t.figure]
    inner = {t.figure for t in first} & INNER.keys()
    return first + [t for f in inner for t in derivation(d, f).reading.terms if t.figure]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_letter_is_explained_once(name):
    """A formula and its table have the same letters; a number that is explained stands in the formula."""
    for id, r in everything(design(Workload(**SAMPLES[name]))):
        told = [t.name for t in r.terms]
        letters = {t for t in told if not t.isdigit()}
        numbers = {float(t) for t in told if t.isdigit()}

        assert len(told) == len(set(told)), id
        assert letters == names(r.formula), id
        assert numbers <= constants(r.formula), id
        assert all(t.value == float(t.name) for t in r.terms if t.name.isdigit()), id


@pytest.mark.parametrize("name", SAMPLES)
def test_a_term_that_can_be_opened_is_what_it_opens(name):
    """The value in the table is the figure that its link leads to, in the unit of the table."""
    d = design(Workload(**SAMPLES[name]))
    scales = {"GB": 1e9, "GiB": 2.0**30}
    seconds = {"reliability.hours_between_stops": 3600}
    for term in opened(d):
        if (term.figure, term.name) == ("step.seconds", "s") and "without" in term.meaning:
            continue
        value = derivation(d, term.figure).readings[0].value * seconds.get(term.figure, 1)

        assert term.value * scales.get(term.unit, 1) == pytest.approx(value, rel=1e-9, abs=1e-9), term


@pytest.mark.parametrize("name", SAMPLES)
def test_every_verified_term_names_where_it_stands(name):
    """A source or words; what has neither is a setting, the engine's or an assumption."""
    for id, r in everything(design(Workload(**SAMPLES[name]))):
        assert all(t.source or t.note for t in r.terms if t.kind == "verified"), id
        assert {t.kind for t in r.terms} <= {"verified", "setting", "engine", "teaching"}


@pytest.mark.parametrize(
    ("figure", "readings"),
    [
        ("run.mfu", {"whole", "half", "alone"}),
        ("memory.state_bytes", {"16", "18", "20"}),
        ("pipeline.bubble_over_ideal", {"ideal", "whole"}),
        ("memory.total_bytes", {"GB", "GiB"}),
        ("reliability.lost_fraction", {"rule", "exact"}),
    ],
)
def test_conventions_are_offered_where_they_differ(figure, readings):
    """Each of them can be chosen, and says what it gives."""
    d = design(Workload(**WORKLOADS["fleet"]))

    assert {r.id for r in derivation(d, figure).readings} == readings
    assert {derivation(d, figure, id).reading.id for id in readings} == readings


def test_attention_makes_the_difference_that_it_says():
    """Without attention MFU is lowest, with the causal half in between, and halfway."""
    alone, half, whole = (
        derivation(design(Workload()), "run.mfu", id).reading.value for id in ("alone", "half", "whole")
    )

    assert alone < half < whole
    assert half == pytest.approx((alone + whole) / 2)


def test_the_bytes_of_a_parameter_are_told_apart():
    """16 bytes are 2 + 2 + 4 + 4 + 4."""
    state = derivation(design(Workload()), "memory.state_bytes").reading

    assert [t.value for t in state.terms if t.name != "N"] == [2, 2, 4, 4, 4]


def test_bubble_conventions_are_each_others_default():
    """Over the ideal time in one figure, over all of it in the other."""
    d = design(Workload(**WORKLOADS["fleet"]))
    ideal, idle = derivation(d, "pipeline.bubble_over_ideal"), derivation(d, "pipeline.idle_fraction")

    assert [r.id for r in ideal.readings] == ["ideal", "whole"]
    assert [r.value for r in ideal.readings] == [r.value for r in reversed(idle.readings)]


@pytest.mark.parametrize(("figure", "reading"), [("run.nothing", ""), ("run.mfu", "thirds")])
def test_unknown_names_are_refused(figure, reading):
    """A figure or a convention that there is not."""
    with pytest.raises(KeyError):
        derivation(design(Workload()), figure, reading)
