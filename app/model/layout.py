"""Parallel layouts: one, or all legal ones at once as an open numpy mesh.

A formula of this model takes either: plain numbers of one layout, or the columns of the mesh,
which broadcast against each other.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np

from app.model import answer
from app.model.calibration import STACKS
from app.model.transformer import Transformer
from app.model.workload import Workload

RECOMPUTE = ("none", "selective", "full")
LONG_SEQUENCE_TOKENS = 8192
"""Context parallelism is searched only while each rank keeps this many tokens, as many as Llama 3's
ranks had (arXiv:2407.21783, table 4: 16 ranks for 131,072 tokens)."""


@dataclass(frozen=True)
class Layout:
    """One layout, or columns of many. `recompute` is an index into RECOMPUTE."""

    tensor: Any
    pipeline: Any
    context: Any
    expert: Any
    data: Any
    zero_stage: Any
    micro_batch: Any
    chunks: Any
    recompute: Any
    microbatches: Any

    @property
    def model_parallel(self) -> Any:
        """GPUs that hold one replica: tensor × pipeline × context. [-]"""
        return self.tensor * self.pipeline * self.context

    @property
    def shards(self) -> Any:
        """GPUs over which ZeRO divides what all experts share: data × context. [-]"""
        return self.data * self.context

    def at(self, index: int, shape: tuple[int, ...]) -> "Layout":
        """The one layout at a flat index of the mesh."""
        where = np.unravel_index(index, shape)
        return Layout(*(int(cells(getattr(self, f.name), where)) for f in fields(self)))

    def answer(self) -> answer.Layout:
        """The record that pages and JSON show."""
        return answer.Layout(
            self.tensor, self.pipeline, self.context, self.expert, self.data, self.zero_stage,
            self.micro_batch, self.chunks, RECOMPUTE[self.recompute], self.microbatches,
            self.model_parallel * self.data,
        )  # fmt: skip


def cells(column: Any, where: tuple[Any, ...]) -> Any:
    """Values of a column at cells given by one index (or one array of them) an axis of the mesh.

    A column has length 1 along the axes that it does not depend on; a plain number is its own value.

    >>> cells(np.array([[1], [2]]), (1, 5))
    np.int64(2)
    """
    if np.ndim(column) == 0:
        return column
    return column[tuple(at if length > 1 else 0 for at, length in zip(where, column.shape, strict=True))]


@dataclass(frozen=True)
class Mesh:
    """All layouts of one search: columns, and which cells are legal."""

    columns: Layout
    legal: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.legal.shape


def sequences(workload: Workload) -> int:
    """Whole sequences of one step, at least one. [-]"""
    return max(1, round(workload.batch_tokens / workload.seq_tokens))


def all_layouts(workload: Workload, model: Transformer) -> Mesh:
    """Every legal layout of a resolved workload; cached by what it depends on.

    When what the user fixed leaves none (more GPUs asked for than there are), all cells stay, so
    that there is an answer to show.
    """
    return _mesh(
        workload.gpus, workload.gpus_per_node, sequences(workload), workload.seq_tokens, workload.split_model,
        workload.recompute, tuple(workload.fixed_layout().items()), model.layers, (model.heads, model.kv_heads),
        model.experts, STACKS[workload.stack].sharding,
    )  # fmt: skip


def powers(limit: float) -> tuple[int, ...]:
    """1, 2, 4 … up to the limit, at least 1.

    >>> powers(9)
    (1, 2, 4, 8)
    """
    return tuple(2**k for k in range(max(1, int(limit)).bit_length()))


def divisors(number: int, limit: int) -> tuple[int, ...]:
    """All divisors up to the limit.

    >>> divisors(126, 20)
    (1, 2, 3, 6, 7, 9, 14, 18)
    """
    return tuple(d for d in range(1, min(number, limit) + 1) if number % d == 0)


def head_shares(heads: int, kv_heads: int, limit: int) -> tuple[int, ...]:
    """Tensor sizes that give every rank whole heads and, whole or repeated, as many key/value heads.

    Fourteen billion parameters of Qwen2.5 have 40 and 8 of them:

    >>> head_shares(40, 8, 40)
    (1, 2, 4, 8, 40)
    """
    return tuple(t for t in divisors(heads, limit) if kv_heads % t == 0 or t % kv_heads == 0)


@lru_cache(maxsize=64)
def _mesh(
    gpus: int, node: int, seqs: int, seq_tokens: int, split: bool, recompute: str,
    fixed: tuple[tuple[str, int], ...], layers: int, heads: tuple[int, int], experts: int, sharding: bool,
) -> Mesh:  # fmt: skip
    given = dict(fixed)
    deepest = min(layers, gpus) if split else 1
    axes = {
        "tensor": head_shares(*heads, min(node, gpus)) if split else (1,),
        "pipeline": sorted({*powers(min(deepest, 128)), *divisors(layers, min(deepest, 64))}),
        "context": powers(min(seq_tokens / LONG_SEQUENCE_TOKENS, gpus, 64)),
        "expert": tuple(e for e in powers(min(experts, gpus)) if experts % e == 0) if experts else (1,),
        "zero_stage": (0, 1, 2, 3) if sharding else (0,),
        "micro_batch": powers(min(seqs, 16)),
        "chunks": powers(min(layers, 16)) if split else (1,),
        "recompute": tuple(range(3)) if recompute == "auto" else (RECOMPUTE.index(recompute),),
    }
    axes |= {name: (value,) for name, value in given.items() if name in axes}
    t, p, c, e, z, b, v, r = open_mesh(axes.values())
    group = t * p * c
    data = np.minimum(gpus // group, seqs) if "data" not in given else np.minimum(given["data"], seqs + 0 * group)
    step = e // np.gcd(e, c)
    data = np.maximum(1, data - data % step)
    columns = Layout(t, p, c, e, data, z, b, v, r, microbatches=-(-seqs // (data * b)))
    legal = _legal(columns, gpus, seqs, layers, given)
    return Mesh(columns, legal if legal.any() else np.ones_like(legal))


def open_mesh(axes: Iterable[Iterable[int]]) -> tuple[np.ndarray, ...]:
    """One array an axis, each along a dimension of its own."""
    return np.ix_(*(np.asarray(tuple(a), dtype=np.int64) for a in axes))


def _legal(x: Layout, gpus: int, seqs: int, layers: int, given: dict[str, int]) -> np.ndarray:
    """Cells that a launcher would accept; what the user fixed is taken as it is."""
    per_replica = -(-seqs // x.data)
    rules = [x.model_parallel * x.data <= gpus, x.pipeline <= layers, x.shards % x.expert == 0]
    if "zero_stage" not in given:
        rules.append((x.zero_stage == 0) | (x.shards > 1))
    if "micro_batch" not in given:
        rules.append(x.micro_batch <= per_replica)
    if "chunks" not in given:
        deep = (x.pipeline > 1) & (x.chunks <= layers // x.pipeline) & (x.microbatches >= x.pipeline)
        rules.append((x.chunks == 1) | deep)
    legal = rules[0]
    for rule in rules[1:]:
        legal = legal & rule
    return np.array(np.broadcast_to(legal, np.broadcast_shapes(*(np.shape(getattr(x, f.name)) for f in fields(x)))))
