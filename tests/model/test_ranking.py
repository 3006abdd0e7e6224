"""app/model/ranking.py: regret and rank correlation of measured sweeps."""

import numpy as np
import pytest

from app.model.ranking import group, rank, spearman, summary
from app.model.runs import read_rows
from app.model.sources import DATA

SWEEP = rank(read_rows(DATA / "ultrascale_runs.csv"))


def pearson_of_ranks(a: list[float], b: list[float]) -> float:
    """Spearman by its definition, ranks counted one by one."""
    ranks = [[sum(y < x for y in v) + (sum(y == x for y in v) - 1) / 2 for x in v] for v in (a, b)]
    return float(np.corrcoef(ranks)[0, 1])


def test_rank_correlation_is_pearsons_of_the_ranks():
    """Ties share their mean rank."""
    a, b = [3.0, 1, 4, 1, 5, 9, 2, 6], [2.0, 7, 1, 8, 2, 8, 1, 8]

    assert spearman(a, b) == pytest.approx(pearson_of_ranks(a, b))


def test_the_right_first_choice_has_no_regret():
    """The layout predicted fastest is the fastest measured."""
    assert group("m", 8, [(1, 5), (2, 6), (3, 9)]).regret == 0


def test_regret_is_the_time_lost_by_the_first_choice():
    """6 s chosen where 5 s were to be had."""
    assert group("m", 8, [(1, 6), (2, 5), (3, 9)]).regret == pytest.approx(0.2)


def test_layouts_of_up_to_64_gpus_rank_well():
    """The Ultra-Scale sweep, as far as its cluster has no slow mode of its own."""
    small = summary([g for g in SWEEP.groups if g.gpus <= 64])

    assert small.median_regret <= 0.04
    assert small.worst_regret <= 0.25
    assert small.median_rank_correlation >= 0.72


def test_layouts_of_all_sizes_rank_well_on_the_whole():
    """Medians alone: beyond 64 GPUs single layouts were slow for reasons of their cluster."""
    assert SWEEP.summary.median_regret <= 0.08
    assert SWEEP.summary.median_rank_correlation >= 0.72


def test_runs_without_a_time_are_listed():
    """They cannot be ranked, and say so."""
    rows = read_rows(DATA / "ultrascale_runs.csv")[:4]
    found = rank([{**r, "step_time_s": "", "tokens_per_s_per_gpu": ""} for r in rows])

    assert [s["why"] for s in found.skipped] == ["states no step time to rank"] * 4
