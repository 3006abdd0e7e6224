"""Reads a table of measured runs into what the engine predicts from; results stay apart.

The columns are those of `app/data/published_runs.csv`. A prediction sees shape, batch, layout,
hardware and software; what was measured is read by `measured` alone.
"""

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from app.model.calibration import Stack
from app.model.hardware import ACCELERATORS
from app.model.layout import RECOMPUTE, Layout, powers
from app.model.software import Row, accelerator_of, link_gb_per_s, memory_of, stack_of
from app.model.transformer import PRESETS, Transformer
from app.model.workload import Workload

NEEDED = ("layers", "hidden", "heads", "vocab", "seq_len", "global_batch_seqs", "gpus")
LEFT_OPEN = ("micro_batch", "chunks", "recompute")
RESULTS = ("model_tflops_per_gpu", "mfu", "hfu", "step_time_s", "tokens_per_s_per_gpu", "mem_gb_measured")


class Unreadable(ValueError):
    """Why a row cannot be predicted."""


@dataclass(frozen=True)
class Run:
    """One configuration. `open_axes` are the parts that the source leaves open, with what they may be."""

    id: str
    source: str
    name: str
    workload: Workload
    model: Transformer
    layout: Layout
    stack_id: str
    stack: Stack
    open_axes: dict[str, tuple[int, ...]]
    memory_kind: str
    memory_rank: str


@dataclass(frozen=True)
class Measured:
    """Results of a row; None where the source states none. Memory in bytes."""

    step_seconds: float | None
    memory_bytes: float | None


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table, column name to text."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [{k: (v or "").strip() for k, v in row.items() if k} for row in csv.DictReader(file)]


def read_runs(rows: Iterable[Row]) -> tuple[list[tuple[Run, Row]], list[tuple[str, str]]]:
    """Runs that can be predicted, each with its row, and (id, reason) of the others."""
    runs, skipped = [], []
    for number, row in enumerate(rows, start=2):
        id = row.get("id") or f"line {number}"
        try:
            runs.append((run_of(row, id), row))
        except Unreadable as reason:
            skipped.append((id, str(reason)))
    return runs, skipped


def run_of(row: Row, id: str) -> Run:
    """The configuration of one row; raises Unreadable with the reason."""
    missing = [name for name in NEEDED if number(row, name) is None]
    if missing:
        raise Unreadable(f"does not state {', '.join(missing)}")
    gpu = accelerator_of(row)
    if gpu is None:
        raise Unreadable(f"the lab has no accelerator {row.get('gpu') or 'without a name'}")
    model = model_of(row)
    stack_id, stack = stack_of(row)
    memory = memory_of(row)
    layout, open_axes = _layout(row, model, stack.interleaving)
    return Run(
        id=id,
        source=row.get("source", ""),
        name=row.get("model") or model.name,
        workload=_workload(row, model, gpu, stack_id),
        model=model,
        layout=layout,
        stack_id=stack_id,
        stack=stack,
        open_axes=open_axes,
        memory_kind=memory["kind"],
        memory_rank=memory["rank"],
    )


def measured(row: Row) -> Measured:
    """What the source measured: step time, or tokens/s of one GPU turned into it."""
    seconds, rate = number(row, "step_time_s"), number(row, "tokens_per_s_per_gpu")
    if seconds is None and rate:
        tokens = (number(row, "global_batch_seqs") or 0) * (number(row, "seq_len") or 0)
        seconds = tokens / rate / (number(row, "gpus") or 1)
    memory = number(row, "mem_gb_measured")
    return Measured(seconds, None if memory is None else memory * memory_of(row)["unit_bytes"])


def number(row: Row, name: str) -> float | None:
    """A cell as a number; None where it is empty or no number."""
    try:
        value = float(row.get(name) or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def whole(row: Row, name: str, default: int) -> int:
    value = number(row, name)
    return default if value is None else int(value)


def model_of(row: Row) -> Transformer:
    """The transformer of a row; latent attention and first dense layers come from the preset of that shape."""
    hidden, heads = whole(row, "hidden", 0), whole(row, "heads", 0)
    gated, experts = bool(whole(row, "gated_mlp", 1)), whole(row, "moe_experts", 0)
    model = Transformer(
        id="",
        name=row.get("model", ""),
        layers=whole(row, "layers", 0),
        hidden=hidden,
        heads=heads,
        kv_heads=whole(row, "kv_heads", heads),
        head_dim=whole(row, "head_dim", hidden // heads),
        ffn=whole(row, "ffn_hidden", (8 * hidden // 3) if gated else 4 * hidden),
        vocab=whole(row, "vocab", 0),
        gated=gated,
        tied=bool(whole(row, "tied_embeddings", 0)),
        experts=experts,
        experts_per_token=whole(row, "moe_top_k", 0),
        expert_ffn=whole(row, "moe_ffn_hidden", whole(row, "ffn_hidden", 0) if experts else 0),
        shared_experts=whole(row, "moe_shared_experts", 0),
    )
    return _with_known_parts(model) if experts else model


def _with_known_parts(model: Transformer) -> Transformer:
    """Parts without a column, from a preset with the same widths and experts."""
    for preset in (p.transformer for p in PRESETS.values()):
        if (preset.hidden, preset.heads, preset.experts, preset.expert_ffn) == (
            model.hidden, model.heads, model.experts, model.expert_ffn,
        ):  # fmt: skip
            kept = round(preset.dense_layers * min(1.0, model.layers / preset.layers))
            return replace(
                model,
                dense_layers=max(kept, min(1, preset.dense_layers)),
                q_rank=preset.q_rank,
                kv_rank=preset.kv_rank,
                rope_dim=preset.rope_dim,
                nope_dim=preset.nope_dim,
                v_dim=preset.v_dim,
            )
    return model


def _workload(row: Row, model: Transformer, gpu: str, stack: str) -> Workload:
    dtype = row.get("dtype", "")
    sequence = whole(row, "seq_len", 1)
    asked = Workload(
        gpus=whole(row, "gpus", 1),
        gpu=gpu,
        seq_tokens=sequence,
        batch_tokens=sequence * (number(row, "global_batch_seqs") or 1),
        link_gb_per_s=link_gb_per_s(row),
        gpus_per_node=max(whole(row, "gpus_per_node", 1), _domain(row, gpu)),
        precision=dtype if dtype in ("bf16", "fp16", "fp8", "fp32") else "bf16",
        stack=stack,
        bytes_per_param=memory_of(row)["bytes_per_param"],
    )
    counts = {"params": model.total_params, "trained_params": model.total_params}
    return asked.resolved().model_copy(update=counts)


def _domain(row: Row, gpu: str) -> int:
    """GPUs on the fast link: as stated, but a tray of an NVL72 rack is no boundary."""
    known = ACCELERATORS[gpu].gpus_per_node
    return known if known > 8 or not number(row, "gpus_per_node") else 1


def _layout(row: Row, model: Transformer, interleaving: bool) -> tuple[Layout, dict[str, tuple[int, ...]]]:
    gpus, sequences = whole(row, "gpus", 1), number(row, "global_batch_seqs") or 1
    t, p, c = (whole(row, name, 1) for name in ("tp", "pp", "cp"))
    if gpus % (t * p * c):
        raise Unreadable(f"{gpus} GPUs do not divide into tensor {t} × pipeline {p} × context {c}")
    if p > model.layers:
        raise Unreadable(f"{p} pipeline stages for {model.layers} layers")
    data = gpus // (t * p * c)
    per_replica = max(1.0, sequences / data)
    open_axes: dict[str, tuple[int, ...]] = {}
    micro, chunks, recompute = number(row, "micro_batch_seqs"), number(row, "vpp"), row.get("recompute", "")
    if not micro:
        open_axes["micro_batch"] = powers(min(per_replica, 16))
    if not chunks and p > 1 and interleaving:
        deepest = range(1, min(model.layers // p, 16) + 1)
        open_axes["chunks"] = tuple(v for v in deepest if model.layers % (p * v) == 0) or tuple(deepest)
    if recompute not in RECOMPUTE:
        open_axes["recompute"] = (0, 1, 2)
    steps = math.ceil(per_replica / (micro or 1) - 1e-9)
    return Layout(
        tensor=t,
        pipeline=p,
        context=c,
        expert=whole(row, "ep", 1),
        data=data,
        zero_stage=whole(row, "zero_stage", 1 if data * c > 1 else 0),
        micro_batch=per_replica / steps,
        chunks=int(chunks or 1),
        recompute=RECOMPUTE.index(recompute) if recompute in RECOMPUTE else 0,
        microbatches=steps,
    ), open_axes
