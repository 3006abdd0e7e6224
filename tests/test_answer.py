"""The redrawn fragment: its budget, its figures, and that it is well made."""

import re
from dataclasses import asdict
from functools import cache
from html.parser import HTMLParser

import pytest
from hypothesis import HealthCheck, given, settings

from app.model.model_code import encode
from app.model.sizing import size
from app.model.transformer import PRESETS
from app.model.workload import Workload
from app.pages import render
from app.routes.lab import make_answer
from app.view import answer_context
from tests.samples import BEFORE, WORKLOADS, sized, sized_before
from tests.workloads import fixed_workloads, workloads

VOID = {"br", "img", "input", "data", "meta", "link"}
MOST_BYTES, MOST_ELEMENTS = 30_000, 600


class Reader(HTMLParser):
    """Elements with their attributes; complains about tags that do not match."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag in VOID or self.open.pop() == tag


def read(html: str) -> list[tuple[str, dict[str, str | None]]]:
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return reader.elements


@cache
def answer(name: str) -> str:
    return render("_answer.html", **answer_context(sized(name), sized_before(name)))


def figures(html: str) -> list[tuple[str, float]]:
    return [(a["data-figure"] or "", float(a["data-value"] or "nan")) for _, a in read(html) if "data-figure" in a]


def figure_in(tree: object, path: str) -> float:
    """A figure of the JSON by its path; a list is entered by id."""
    for key in path.split("."):
        tree = next(x for x in tree if x["id"] == key) if isinstance(tree, (list, tuple)) else tree[key]
    return float(tree)


@pytest.mark.parametrize("name", ["default", "fleet", "too big", "million", "long", "deep", "far too big"])
def test_the_fragment_stays_within_its_budget(name):
    """With everything that is sent on a tick, the script's readings too."""
    before = Workload(**BEFORE[name]) if name in BEFORE else None
    html = str(make_answer(Workload(**WORKLOADS[name]), before).fragment)

    assert len(html.encode()) <= MOST_BYTES
    assert len(read(html)) <= MOST_ELEMENTS


LONG_NUMBERS = {
    "seq_tokens": 269, "link_gb_per_s": 7.5644347123166344, "data_tokens_per_s": 98598611172.22217,
    "checkpoint_minutes": 68031.88521358716, "train_tokens": 14385009957115.412, "checkpoint_gb_per_s": 29223.38792772,
    "restart_minutes": 1.9883480784348055, "gpu_hour_price": 0.0010091531018787462, "bytes_per_param": 20,
}  # fmt: skip
HEAVY = {
    "a wide node, overfull": {"gpus": 64, "model": "gpt3-175b", "gpu": "a100-40gb", "gpus_per_node": 200, "tensor": 27},
    "many stages, overfull": {"gpus": 20_376, "model": "deepseek-v3", "gpu": "a100-80gb", "expert": 1, "zero_stage": 0},
    "many kinds above the line": {"gpus": 54, "model": "megatron-1t", "gpu": "v100-32gb", "gpus_per_node": 115},
    "brought, many stages, overfull": {
        "gpus": 20_376,
        "own_model": encode(PRESETS["deepseek-v3"].transformer),
        "gpu": "v100-32gb",
    },
    "long ago": {"gpus": 19, "model": "llama-3.1-405b", "gpu": "h800-80gb", "recompute": "none", "chunks": 8},
}


@pytest.mark.parametrize("name", HEAVY)
def test_the_heaviest_fragments_stay_within_the_budget(name):
    """Designs that fit nowhere, with the longest numbers, beside one that did: found by trying 10,000."""
    html = str(make_answer(Workload(**{**LONG_NUMBERS, **HEAVY[name]}), Workload(gpus=37, seq_tokens=5164)).fragment)

    assert len(html.encode()) <= MOST_BYTES
    assert len(read(html)) <= MOST_ELEMENTS


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_figure_is_the_engines_own(name):
    """What stands beside `data-figure` is the value at that path of the JSON."""
    tree = asdict(sized(name))

    assert [(f, figure_in(tree, f)) for f, _ in figures(answer(name))] == figures(answer(name))


STEP = ("seconds", "compute_seconds", "tensor_exposed_seconds", "context_exposed_seconds", "expert_exposed_seconds",
        "pipeline_exposed_seconds", "data_parallel_exposed_seconds", "bubble_seconds", "optimizer_seconds",
        "overhead_seconds", "loader_wait_seconds")  # fmt: skip
ALWAYS = {
    "run.days", "run.mfu", "run.tokens", "memory.total_bytes", "memory.usable_bytes", "data.needed_tokens_per_s",
    "reliability.stops_per_day", "reliability.checkpoint_bytes", "layout.zero_stage", "layout.micro_batch",
    "layout.data", "layout.tensor", "layout.pipeline", "layout.microbatches",
    *(f"step.{part}" for part in STEP),
    *(f"bottlenecks.{id}.load" for id in ("memory", "collectives", "data_pipeline", "activations", "failures")),
}  # fmt: skip


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_figures_that_matter_are_always_there(name):
    """Days, MFU, memory, all ten parts of a step, the five loads and the path, whatever the shape."""
    assert ALWAYS <= {f for f, _ in figures(answer(name))}


@pytest.mark.parametrize("name", BEFORE)
def test_ghosts_are_no_figures(name):
    """No mark or word of the design before carries `data-figure`."""
    ghosts = [a for _, a in read(answer(name)) if a.get("class") in ("was", "ghost")]

    assert len(ghosts) >= 10
    assert not any("data-figure" in a for a in ghosts)


@pytest.mark.parametrize("name", WORKLOADS)
def test_ids_are_given_once(name):
    """Morphing pairs blocks by id, and so do labels."""
    ids = [a["id"] for _, a in read(answer(name)) if "id" in a]

    assert len(ids) == len(set(ids))
    assert {"shape", "side", "bars", "why", "path", "mesh", "strip", "below", "tradeoffs", "rules"} <= set(ids)


@pytest.mark.parametrize("name", WORKLOADS)
def test_pictures_have_words(name):
    """Each SVG is hidden from those who listen, inside one that is, or named by a title in the page."""
    html = answer(name)
    named = {a["aria-labelledby"] for tag, a in read(html) if tag == "svg" and a.get("role") == "img"}

    assert named == {"mesh-text"}
    assert re.search(r"<title id=mesh-text>[^<]{40,}", html)


def test_no_style_attributes():
    """The policy allows none."""
    assert not any("style" in a for name in WORKLOADS for _, a in read(answer(name)))


def test_text_from_outside_is_escaped():
    """Whatever a text holds, it stays text."""
    from dataclasses import replace

    s = sized("default")
    evil = replace(s, shape=replace(s.shape, title="<script>alert(1)</script>"))

    assert "<script" not in render("_answer.html", **answer_context(evil))


def test_a_remedy_is_a_link_that_works_without_script():
    """What does not fit offers changes as addresses of the lab."""
    links = [a["href"] for _, a in read(answer("too big")) if "data-remedy" in a]

    assert len(links) == len(sized("too big").remedies) >= 2
    assert all(link.startswith("/?") for link in links)


def test_every_rule_names_its_source():
    """All rules stand on the page, each with a link."""
    html = answer("default")

    assert all(r.source.url in html and r.source.label in html for r in sized("default").rules)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(workloads | fixed_workloads, workloads)
def test_any_design_can_be_shown(workload, was):
    """Random workloads, one after another: well-formed, and every figure finite."""
    html = render("_answer.html", **answer_context(size(workload, was), size(was)))

    assert all(abs(value) < float("inf") for _, value in figures(html))
