"""The commands `validate` and `rank`."""

import json

import pytest

from app.__main__ import main
from app.model.sources import DATA


def test_validate_answers_in_the_agreed_json(capsys):
    """Every run with its prediction, what was chosen, and the errors beside the plain rival."""
    code = main(["validate", str(DATA / "published_runs.csv"), "--json"])

    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert set(found) == {"runs", "summary", "skipped"}
    assert {"id", "predicted_step_seconds", "published_step_seconds", "error_pct", "predicted_memory_bytes",
            "published_memory_bytes", "memory_error_pct", "chosen"} <= set(found["runs"][0])  # fmt: skip
    assert set(found["summary"]) == {
        "n", "median_abs_error_pct", "p90_abs_error_pct", "bias_pct", "by_source", "memory", "always_40_pct",
    }  # fmt: skip


def test_rank_answers_in_the_agreed_json(capsys):
    """Regret and rank correlation of each group."""
    code = main(["rank", str(DATA / "ultrascale_runs.csv"), "--json"])

    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert {"model", "gpus", "n", "regret", "rank_correlation"} <= set(found["groups"][0])


def test_validate_prints_runs_sources_and_what_was_left_out(capsys):
    """A person reads a line a run, a line a source, and why a row is missing."""
    main(["validate", str(DATA / "published_runs.csv")])

    shown = capsys.readouterr().out
    assert "nar21-t1-1.7B" in shown
    assert "always 40 % of peak" in shown
    assert "not predicted: trn1-1: the lab has no accelerator" in shown


@pytest.mark.parametrize("command", ["validate", "rank"])
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "holds no rows"),
        (b"id,layers\nx,3\n", "lacks the columns hidden"),
        (b"\xff\xfe\x00rubbish\n", "is not a CSV table"),
    ],
)
def test_a_bad_table_is_refused_with_the_reason(capsys, tmp_path, command, content, why):
    """Exit code 2, the file and the cause on stderr."""
    path = tmp_path / "runs.csv"
    path.write_bytes(content)

    assert main([command, str(path)]) == 2
    assert why in capsys.readouterr().err


def test_a_missing_table_is_refused(capsys):
    """No traceback for a wrong path."""
    assert main(["validate", "nowhere.csv"]) == 2
    assert "nowhere.csv: No such file" in capsys.readouterr().err


def test_a_table_without_results_is_predicted_too(capsys, tmp_path):
    """Published and error cells are then null."""
    head = "id,layers,hidden,heads,vocab,seq_len,global_batch_seqs,gpu,gpus,tp,pp,micro_batch_seqs,recompute,framework"
    path = tmp_path / "runs.csv"
    path.write_text(f"{head}\nmine,32,4096,32,32000,4096,256,H100-80GB,64,1,1,1,none,torchtitan\n")
    main(["validate", str(path), "--json"])

    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert run["predicted_step_seconds"] > 0
    assert run["published_step_seconds"] is None
    assert run["error_pct"] is None
