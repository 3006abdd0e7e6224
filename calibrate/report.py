"""The figures of a fit, as text for BENCHMARKS.md and as data for the product."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.model.hardware import ACCELERATORS
from app.model.sources import DATA
from app.model.validation import RIVAL_SHARE
from calibrate.memory import KindFit
from calibrate.rows import Sample
from calibrate.stages import Fitted

ROOT = Path(__file__).parent.parent
BEGIN, END = "<!-- figures of: python -m calibrate -->\n", "<!-- end of figures -->"
NAMES = {"dense": "Dense, 16 bit", "fp8": "Dense, FP8", "experts": "Experts", "sweep": "Sweep to 64 GPUs"}
BARS = {"dense": "4 / 13", "fp8": "10 / 20", "experts": "18 / 35"}
LEAST_ROWS = 10


def spread(ratios: Sequence[float] | np.ndarray) -> dict[str, float]:
    """Rows, median and 90th percentile of the error's size, and bias, in percent."""
    e = 100 * np.asarray(ratios)
    size = np.abs(e)
    return {
        "n": len(e),
        "median_abs_error_pct": round(float(np.median(size)), 2),
        "p90_abs_error_pct": round(float(np.quantile(size, 0.9)), 2),
        "bias_pct": round(float(np.median(e)), 2),
    }


def rival(rows: Sequence[Sample]) -> np.ndarray:
    """Errors of 'always 40 % of peak'."""
    found = []
    for s in rows:
        w, m = s.run.workload, s.run.model
        rate = RIVAL_SHARE * w.gpus * ACCELERATORS[w.gpu].peak_flop_per_s(w.precision)
        found.append(m.flop_per_token(w.seq_tokens) * w.batch_tokens / rate / s.seconds - 1)
    return np.array(found)


def sources(rows: Sequence[Sample], ratios: np.ndarray) -> dict[str, dict[str, float]]:
    """Spread by source, the largest first."""
    names = [s.run.source for s in rows]
    order = sorted(set(names), key=lambda n: (-names.count(n), n))
    return {name: spread([r for r, own in zip(ratios, names, strict=True) if own == name]) for name in order}


def on_fitted_stacks(dense: Fitted) -> dict[str, Any]:
    """Dense rows whose stack has a multiplier of its own in the fit, left out by family."""
    fitted = {name for c in dense.chosen for table, name, _ in c.tables if table == "stacks"}
    seen = [i for i, s in enumerate(dense.rows) if s.run.stack_id in fitted]
    rows, ratios = [dense.rows[i] for i in seen], dense.left_out[seen]
    large = {k: v for k, v in sources(rows, ratios).items() if v["n"] >= LEAST_ROWS}
    return {**spread(ratios), "by_source": large}


def accuracy(
    stages: dict[str, Fitted], at_one: np.ndarray, unseen: np.ndarray, kinds: dict[str, KindFit]
) -> dict[str, Any]:
    """Everything that the report says, as data."""
    dense = stages["dense"].rows
    by_unseen = sources(dense, unseen)
    return {
        "kinds": {
            kind: {"seen": spread(f.seen), "left_out": spread(f.left_out), "by_source": sources(f.rows, f.left_out)}
            for kind, f in stages.items()
        },
        "stack_seen": on_fitted_stacks(stages["dense"]),
        "stacks_at_one": spread(at_one),
        "source_left_out": {
            "median_over_sources_pct": round(
                float(np.median([s["median_abs_error_pct"] for s in by_unseen.values()])), 2
            ),
            **spread(unseen),
            "by_source": by_unseen,
        },
        "always_40_pct": spread(rival(dense)),
        "memory": {name: {**spread(f.left_out), "rows": f.rows} for name, f in kinds.items()},
    }


def text(found: dict[str, Any]) -> str:
    """The tables of BENCHMARKS.md."""
    lines = ["Step time, absolute error in percent (median / 90th percentile):", ""]
    lines += ["| rows | n | left out | bar | in the fit | bias left out |", "|---|---|---|---|---|---|"]
    for kind, f in found["kinds"].items():
        out, seen = f["left_out"], f["seen"]
        lines.append(
            f"| {NAMES[kind]} | {out['n']} | {_pair(out)} | {BARS.get(kind, '')} | {_pair(seen)} | {out['bias_pct']} |"
        )
    lines.append(
        f"| Dense, stack in the fit | {found['stack_seen']['n']} | {_pair(found['stack_seen'])} | 4 / 13 | | |"
    )
    lines.append(f"| Dense, every stack at 1 | {found['stacks_at_one']['n']} | {_pair(found['stacks_at_one'])} | | | |")
    lines.append(
        f"| Dense, source never seen | {found['source_left_out']['n']} | {_pair(found['source_left_out'])} | | | |"
    )
    lines.append(f"| Always 40 % of peak | {found['always_40_pct']['n']} | {_pair(found['always_40_pct'])} | | | |")
    lines += ["", "Dense by source; a source left out whole has a median over sources of "
              f"{found['source_left_out']['median_over_sources_pct']} % (bar 9):", ""]  # fmt: skip
    lines += ["| source | n | left out by family | left out whole |", "|---|---|---|---|"]
    whole = found["source_left_out"]["by_source"]
    for name, s in found["kinds"]["dense"]["by_source"].items():
        lines.append(f"| {name} | {s['n']} | {_pair(s)} | {_pair(whole[name])} |")
    lines += ["", "Sources with ten rows or more of a stack in the fit, left out by family (bar 8 at the median): "]
    lines[-1] += ", ".join(f"{n} {_pair(s)}" for n, s in found["stack_seen"]["by_source"].items()) + "."
    lines += ["", "Memory by kind of figure, left out by family (bar 8 / 20):", ""]
    lines += ["| kind | n | error |", "|---|---|---|"]
    lines += [f"| {name} | {s['n']} | {_pair(s)} |" for name, s in found["memory"].items()]
    return "\n".join(lines) + "\n"


def _pair(s: dict[str, float]) -> str:
    return f"{s['median_abs_error_pct']:.1f} / {s['p90_abs_error_pct']:.1f}"


def publish(found: dict[str, Any]) -> None:
    """Writes the data that the product shows and the tables of BENCHMARKS.md."""
    (DATA / "accuracy.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    path = ROOT / "BENCHMARKS.md"
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    path.write_text(f"{before}{BEGIN}\n{text(found)}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
