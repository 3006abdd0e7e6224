"""app/model/assumptions.py: what is round or simplified, with the figures that are true."""

from app.model.assumptions import assumptions
from app.model.sizing import design
from app.model.workload import Workload


def texts(workload: Workload) -> dict[str, str]:
    return {a.id: a.text for a in assumptions(design(workload))}


def test_there_are_the_three_of_the_seeds():
    """Memory, thresholds, failures."""
    assert list(texts(Workload())) == ["memory", "thresholds", "failures"]


def test_the_bytes_of_a_parameter_are_the_setting():
    """16 by default, 18 where asked."""
    assert texts(Workload(params=10e9))["memory"].startswith(
        "State is 16 bytes for each trained parameter, 160\u00a0GB here"
    )
    assert "18 bytes" in texts(Workload(bytes_per_param=18))["memory"]


def test_thresholds_are_called_round_numbers():
    """70 %, 100 % and 10 %, beside what the accelerator really gives."""
    text = texts(Workload())["thresholds"]

    assert "tight from 70\u00a0%, over from 100\u00a0%" in text
    assert "stops may cost 10\u00a0% of the time" in text
    assert "round numbers" in text


def test_the_proportion_of_failures_stands_beside_what_meta_measured():
    """7.9 hours at 1,024 GPUs where the rate predicts 28.8 (arXiv:2410.21680)."""
    text = texts(Workload(gpus=16384))["failures"]

    assert "7.9 h at 1024 GPUs where the rate predicts 28.8" in text
