"""app/model/rules: what sources claim, and what each claim says at a setting."""

import pytest
from hypothesis import given, settings

from app.model.rules import CLAIMS, rules
from app.model.sizing import design
from app.model.sources import SOURCES
from app.model.workload import Workload
from tests.workloads import fixed_workloads

many = settings(max_examples=60, deadline=None)
FLEET = Workload(model="llama-3.1-405b", gpus=16384, batch_tokens=16_777_216, seq_tokens=8192)
ONE = Workload(params=1e9, gpus=1)


def said(workload: Workload) -> dict:
    return {r.id: r for r in rules(design(workload))}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda c: c.id)
def test_every_rule_has_a_source_and_a_place_in_it(claim):
    """Section, table or page, so that a reader can look it up."""
    assert claim.source_id in SOURCES
    assert claim.where
    assert len(claim.claim) <= 92


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        ("tensor-splits-layers", "megatron1"),
        ("zero-shards-state", "zero"),
        ("pipeline-splits-depth", "gpipe"),
        ("parallelism-multiplies", "narayanan21"),
        ("tokens-with-parameters", "chinchilla"),
        ("fsdp-speed", "fsdp"),
        ("interruptions", "llama3"),
        ("hardware-share", "llama3"),
        ("fixed-batch", "llama3"),
        ("slowest-sets-pace", "megascale"),
    ],
)
def test_the_rules_of_the_seeds_cite_the_work_that_says_so(rule, source):
    """3D parallelism is Narayanan et al. 2021: the paper of 2019 has tensor and data parallelism only."""
    assert said(FLEET)[rule].source.id == source


def test_ids_are_unique_and_there_are_at_least_eighteen():
    """The four of the seeds and fourteen more."""
    ids = [c.id for c in CLAIMS]

    assert len(set(ids)) == len(ids) >= 18


@many
@given(fixed_workloads)
def test_rules_that_act_come_first(workload):
    """Sorted by how much they decide; every rule says something."""
    acting = [r.acting for r in rules(design(workload))]

    assert acting == sorted(acting, reverse=True)
    assert all(r.effect for r in rules(design(workload)))


@many
@given(fixed_workloads)
def test_an_effect_is_one_short_line(workload):
    """What stands beside 'Here' on the page."""
    assert [r.effect for r in rules(design(workload)) if len(r.effect) > 125] == []


@pytest.mark.parametrize(
    ("rule", "effect"),
    [
        ("pipeline-bubble", "(16 − 1) ÷ 16 = 93.8\u00a0% of the ideal time, 48.4\u00a0% of pipeline time"),
        ("interleaving", "1 chunk on each stage: the bubble stays 93.8\u00a0%"),
        ("parallelism-multiplies", "8 × 16 × 128 = 16\u202f384 GPUs"),
        ("six-nd", "6 × 406B × 15.6T = 3.80 × 10²⁵ FLOP"),
        ("interruptions", "50\u202f677 GPU-h ÷ 16\u202f384 = 3.09 h between stops"),
        ("fixed-batch", "16 sequences a replica now; twice the GPUs would leave 8"),
        ("slowest-sets-pace", "2048 nodes in step: at 0.5 % about 10 slow, and all others wait"),
    ],
)
def test_effects_do_the_arithmetic_of_the_sources(rule, effect):
    """Llama 3's layout without interleaving: the article's 16 stages and 16 micro-batches."""
    layout = {"tensor": 8, "pipeline": 16, "context": 1, "zero_stage": 1, "micro_batch": 1, "chunks": 1}

    assert said(FLEET.changed(**layout))[rule].effect == effect


@pytest.mark.parametrize(
    ("rule", "effect"),
    [
        ("pipeline-bubble", "one stage: no bubble"),
        ("zero-shards-state", "one replica: nothing to divide by"),
        ("recompute-price", "nothing is recomputed: "),
        ("active-parameters", "dense: every parameter works on every token"),
        ("long-context", "4096 tokens: each GPU takes whole sequences"),
    ],
)
def test_a_rule_that_does_not_act_says_why(rule, effect):
    """1B on one GPU."""
    found = said(ONE)[rule]

    assert not found.acting
    assert found.effect.startswith(effect)


def test_where_nothing_fits_the_rules_on_memory_come_first():
    """The state and its sharding decide."""
    found = rules(design(Workload(model="llama-3.1-70b", gpus=8, split_model=False)))

    assert [r.id for r in found[:2]] == ["sixteen-bytes", "zero-shards-state"]
    assert found[0].effect.endswith("15 GPUs of 80\u00a0GB for state alone")


def test_zero_divides_what_its_stage_names():
    """Stage 1 keeps 4 bytes and divides 12 (ZeRO, figure 1)."""
    effect = said(Workload(params=10e9, gpus=64, zero_stage=1, tensor=1, pipeline=1, context=1))[
        "zero-shards-state"
    ].effect

    assert effect.startswith("ZeRO 1: 4 + 12 ÷ 64 = 4.19 bytes a parameter, 41.9\u00a0GB")
